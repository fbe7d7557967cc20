import { checkers } from "../../simulation/checkers/all.ts";
import { plain } from "../../simulation/setup.ts";
import type { Action, Evidence, MessageTruth, OrderTruth, RequestTruth } from "../../simulation/world/record.ts";

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const usual = "1";
const id = (number: number) => `0f8fad5b-d9cb-469f-a165-${String(number).padStart(12, "0")}`;

export function order(number: number, statuses: OrderTruth["statuses"]): OrderTruth {
  const customer = { name: `Customer${number} Person`, email: `buyer${number}@customers.example` };
  const placedAt = statuses[0]?.at ?? 0;
  return {
    id: id(number),
    mark: `Thing-${number}`,
    placedAt,
    createdAt: placedAt,
    total: 5,
    pieces: 1,
    method: "PIX",
    customer,
    product: "p",
    category: "c",
    productListedAt: 0,
    statuses,
  };
}

let messages = 0;

export function message(
  of: OrderTruth,
  at: number,
  more: Partial<
    Record<"line" | "status" | "channelId" | "repliesTo" | "card" | "text" | "bought", string | undefined>
  > = {},
): MessageTruth {
  const {
    line = "🔔 New order · 5",
    status = "Pending",
    channelId = usual,
    repliesTo,
    card = JSON.stringify([{ timestamp: new Date(of.placedAt) }]),
    text = "",
    bought = `${of.mark} ${of.method}`,
  } = more;
  const lines = [line, bought, of.id, "Status", status, text];
  const version = { at, content: line, text: lines.join("\n"), orders: [of.id], card, files: 0 };
  messages += 1;
  return { id: String(messages), channelId, at, repliesTo, versions: [version] };
}

export const action = (what: Action["what"], at: number, answer = ""): Action => ({
  asked: at,
  done: at + second,
  failed: false,
  what,
  answer,
});

export const asked = (path: string, at: number, more: Partial<RequestTruth> = {}): RequestTruth => ({
  at,
  life: 1,
  method: "GET",
  path,
  ...more,
});
export const listPath = "/open-api/checkout/order?page=1&limit=100&status=PENDING";
export const many = <One>(count: number, make: (index: number) => One) =>
  Array.from({ length: count }, (_, at) => make(at));
/** The polls of an hour. */
export const polls = many(240, (index) => asked(listPath, index * 15 * second));
/** Further requests to the store beside the polls. */
export const asking = (...more: RequestTruth[]) => ({ storeRequests: [...polls, ...more] });

export const answeredBy = (one: RequestTruth): RequestTruth => ({ ...one, answer: { status: 200, at: one.at + 1 } });

export const checked = (when: number) => `**Last check for orders:** <t:${when / second}:R>`;
/** What `/alerts status` says. */
export const told = (waiting: number, followed: number, checkedAt = hour): Evidence["status"] => ({
  at: hour,
  text: [
    `**Orders waiting to be posted:** ${waiting}`,
    `**Orders being followed:** ${followed}`,
    checked(checkedAt),
    "**Last problem:** none",
  ].join("\n"),
});

/** Alerts are on from 10 s on, and an hour goes by. */
export function evidence(
  more: Partial<Omit<Evidence, "orders">> & { orders?: readonly OrderTruth[]; statuses?: readonly string[] },
): Evidence {
  const { orders = [], statuses = ["PENDING"], actions = [], ...rest } = more;
  return {
    setup: { ...plain, startsAt: 0, statuses, latency: { store: [1, 2], discord: [1, 2] } },
    orders: new Map(orders.map((one) => [one.id, one])),
    messages: [],
    direct: [],
    actions: [
      action({ kind: "connect" }, second),
      action({ kind: "alerts-set", channelId: usual, statuses }, 10 * second),
      ...actions,
    ],
    troubles: [],
    discordRequests: [],
    storeRequests: polls,
    storeAtOnce: 1,
    crashes: [],
    logged: [],
    refusals: [],
    asked: [],
    kept: [],
    starts: [],
    calmFrom: 40 * minute,
    endsAt: 60 * minute,
    ...rest,
  };
}

export const seen = (given: Evidence) => [
  ...new Set(checkers.flatMap((check) => check(given)).map(({ what }) => what)),
];

export const at: number = 5 * minute;
export const refusedToken = {
  from: at,
  to: at + minute,
  kind: "store",
  how: "token-refused",
  isWhole: true,
} as const;
export const refusedAt = (when: number, path = listPath): RequestTruth =>
  asked(path, when, { answer: { status: 401, at: when + 1 } });
export const waits: OrderTruth = order(1, [{ at, status: "PENDING" }]);
export const paid: OrderTruth = order(2, [
  { at, status: "PENDING" },
  { at: at + 2 * minute, status: "PAID" },
]);

export const about = (of: OrderTruth, ...messages: MessageTruth[]) => ({ orders: [of], messages });
export const doing = <Given extends object>(given: Given, ...actions: Action[]) => ({ ...given, actions });

/** A request for a new message in the channel of alerts, with the status of Discord's answer. */
export const posting = (when: number, status: number, content = "🔔 New order · 5") =>
  asked(`/channels/${usual}/messages`, when, { method: "POST", content, answer: { status, at: when + 1 } });
const closed = { from: 2 * minute, to: 20 * minute, kind: "channel", how: "closed", channelId: usual } as const;
/** Discord's refusal of an edit. */
export const editRefused = ({ id, channelId }: MessageTruth, status: number) =>
  asked(`/channels/${channelId}/messages/${id}`, 30 * minute, {
    method: "PATCH",
    answer: { status, at: 30 * minute + 1 },
  });
export const told403 = { at: 5 * minute + second, content: `Order alerts cannot be posted in <#${usual}>: why` };
export const refusedThere = { ...about(waits, message(waits, 21 * minute)), troubles: [closed], direct: [told403] };
export const failingAlerts = ["a", "b", "c", "d"].map((mark, index) =>
  posting(at + index * second, 503, `🔔 5 · Thing-${mark}`),
);
export const downOfDiscord = { from: at - second, to: 20 * minute, kind: "discord", how: "unavailable" } as const;
