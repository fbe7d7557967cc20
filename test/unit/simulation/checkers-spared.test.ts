import { expect, test } from "vitest";
import type { RequestTruth } from "../../simulation/world/record.ts";
import {
  about,
  action,
  answeredBy,
  asked,
  asking,
  at,
  checked,
  doing,
  downOfDiscord,
  editRefused,
  evidence,
  failingAlerts,
  hour,
  listPath,
  many,
  message,
  minute,
  order,
  paid,
  polls,
  posting,
  refusedAt,
  refusedThere,
  refusedToken,
  second,
  seen,
  usual,
  waits,
} from "../../support/engine/simulated-evidence.ts";

/** An edit of an alert in the channel of alerts, which Discord took. */
const editing = (when: number) =>
  asked(`/channels/${usual}/messages/1`, when, { method: "PATCH", answer: { status: 200, at: when + 1 } });
const paidMessage = "💰 Paid order · 5";
const figures = "📊 **Jan 1, 1970**: orders 0 · sold 0";
const digestDue = 23 * hour;
const { setup } = evidence({});
const alertsSet = { kind: "alerts-set", channelId: usual, statuses: ["PENDING"] } as const;
const timeless = { ...setup, store: { ...setup.store, times: "missing" } } as const;
const there = { ...waits, placedAt: 0, statuses: [{ at: 0, status: "PENDING" }] };
const secondPage = listPath.replace("page=1", "page=2");
const returned = order(6, [
  { at, status: "PENDING" },
  { at: at + 21 * minute, status: "PROCESSING" },
  { at: at + 22 * minute, status: "PENDING" },
]);
const reminder = message(returned, at + 30 * minute, { line: "⏰ Order still waiting · 5", card: "" });

const pending = message(paid, at + second);
const first = message(waits, at + second);
const restored = { from: minute, to: minute, kind: "settings", how: "restored", copiedAt: minute } as const;
const stale = (...discordRequests: RequestTruth[]) => ({ ...about(paid, pending), discordRequests });
const missing = (when: number) =>
  asked(`/open-api/checkout/order/${paid.id}`, when, { answer: { status: 404, at: when + 1 } });

const again = order(7, [
  { at, status: "PENDING" },
  ...["PAID", "PENDING", "PAID"].map((status, index) => ({ at: at + (1 + index) * minute, status })),
]);
const paidAlert = message(again, at + minute + second, { status: "Paid" });
const paidAgain = order(8, [...again.statuses.slice(0, 3), { at: 25 * minute, status: "PAID" }]);
const paidAgainAlert = message(paidAgain, 25 * minute + second, { status: "Paid" });
const keys = action({ kind: "rule", name: "Keys", channelId: "3", style: "staff", status: "PAID" }, minute);

/** What a correct bot may do. */
test.each<[string, string, Parameters<typeof evidence>[0]]>([
  [
    "posted after off",
    "a command whose answer came after that of /store disconnect took effect before it",
    {
      ...about(waits, message(waits, at + second)),
      actions: [
        { ...action(alertsSet, minute), done: minute + 5 * second },
        action({ kind: "disconnect" }, minute + second),
        action({ kind: "connect" }, 2 * minute),
        action(alertsSet, 3 * minute),
      ],
    },
  ],
  [
    "left channel",
    "a command without an answer took effect after a later command",
    doing(
      about(waits, message(waits, at + 30 * second)),
      { ...action(alertsSet, at + second), done: undefined },
      action({ ...alertsSet, channelId: "2" }, at + 10 * second),
    ),
  ],
  [
    "owner not told",
    "Discord took only an edit since the owner was told",
    { ...refusedThere, discordRequests: [posting(at, 403), editing(at + 5 * minute), posting(at + 9 * minute, 403)] },
  ],
  [
    "owner not told",
    "Discord refused only the content of a message since the owner was told",
    {
      ...refusedThere,
      discordRequests: [posting(at, 403), posting(at + 5 * minute, 400), posting(at + 9 * minute, 403)],
    },
  ],
  [
    "edited for nothing",
    "a search found the alert",
    {
      ...about(waits, {
        ...first,
        versions: [...first.versions, ...first.versions.map((one) => ({ ...one, at: 20 * minute }))],
      }),
      discordRequests: [asked(`/channels/${usual}/messages`, 20 * minute - second)],
      troubles: [restored],
    },
  ],
  [
    "edited for nothing",
    "a command came during the edit",
    doing(
      about(waits, {
        ...first,
        versions: [...first.versions, ...first.versions.map((one) => ({ ...one, at: at + 3 * second }))],
      }),
      action({ kind: "privacy", privacy: "none" }, at + 2 * second),
    ),
  ],
  [
    "owner not told",
    "the owner accepts no direct messages",
    {
      ...refusedThere,
      direct: [],
      discordRequests: [
        posting(at, 403),
        {
          ...posting(at + second, 403, `Order alerts cannot be posted in <#${usual}>: why`),
          path: "/channels/8/messages",
        },
        posting(at + 5 * minute, 403),
      ],
    },
  ],
  [
    "not posted elsewhere",
    "Discord refused only a reply",
    {
      actions: [keys],
      troubles: [{ from: 20 * minute, to: 25 * minute, kind: "channel", how: "hidden", channelId: "3" }],
      discordRequests: [{ ...posting(21 * minute, 403, paidMessage), path: "/channels/3/messages", isReply: true }],
    },
  ],
  [
    "owner not told",
    "Discord refused only a reply",
    {
      ...refusedThere,
      direct: [],
      discordRequests: [{ ...posting(at, 403, paidMessage), isReply: true }, posting(at + second, 200, paidMessage)],
    },
  ],
  [
    "tried a refusing channel",
    "the message of a paid order was posted in between",
    {
      ...refusedThere,
      discordRequests: [
        posting(at, 403),
        posting(at + 9 * second, 200, paidMessage),
        posting(at + 10 * second, 403),
        posting(at + 19 * second, 200),
      ],
    },
  ],
  [
    "tried a refusing channel",
    "the refused request repeated one whose answer was lost",
    {
      ...refusedThere,
      discordRequests: [
        { ...posting(at, 200), answer: undefined },
        posting(at + 15 * second, 403),
        posting(at + 16 * second, 200),
      ],
    },
  ],
  [
    "sent to a Discord that fails",
    "the message of a paid order was posted in between",
    { discordRequests: [...failingAlerts, posting(at + 500, 200, paidMessage)], troubles: [downOfDiscord] },
  ],
  [
    "wrong state of the channel",
    "Discord refused the content of the next message",
    {
      ...refusedThere,
      discordRequests: [posting(at, 403), posting(at + minute, 400)],
      asked: [{ at: at + 2 * minute, text: "posting fails" }],
    },
  ],
  [
    "wrong state of the channel",
    "a digest was posted after the refusal",
    {
      ...refusedThere,
      discordRequests: [posting(at, 403), posting(at + minute, 200, figures)],
      asked: [{ at: at + 2 * minute, text: "" }],
    },
  ],
  [
    "wrong state of the channel",
    "it is unclear whether Discord took the next message",
    {
      ...refusedThere,
      troubles: [...refusedThere.troubles, { from: at, to: at + minute, kind: "discord", how: "not-discord" }],
      discordRequests: [posting(at, 403), posting(at + minute, 200)],
      asked: [{ at: at + 2 * minute, text: "posting fails" }],
    },
  ],
  [
    "wrong note in a digest",
    "Discord held back a digest that was not late yet",
    {
      actions: [action({ kind: "digest", hour: 0, timezone: "Etc/GMT-1", channelId: "2" }, minute, "<t:82800:f>")],
      messages: [message(waits, digestDue + 20 * minute, { line: figures, channelId: "2", card: "" })],
      troubles: [{ from: 22 * hour, to: digestDue + 19 * minute, kind: "discord", how: "limited" }],
      endsAt: 30 * hour,
      calmFrom: 29 * hour,
    },
  ],
  [
    "old order alerted",
    "the orders have no time, and a page failed",
    {
      ...about(there, message(there, 20 * minute)),
      setup: timeless,
      troubles: [{ from: minute, to: 15 * minute, kind: "store", how: "unavailable" }],
    },
  ],
  [
    "reminded of what is handled",
    "the status was the same again before the bot saw another",
    doing(
      about(returned, message(returned, at + second), reminder),
      action({ kind: "remind", afterMs: 5 * minute, quiet: undefined }, minute),
      action({ kind: "press", press: "Take", order: returned.id, by: "7" }, at + minute, "Taken by <@7>"),
    ),
  ],
  [
    "refused to its taker",
    "the answer is a card, which also shows the earlier press",
    doing(
      about(waits, message(waits, at + second, { text: "Done by <@8> Give back" })),
      action({ kind: "press", press: "Take", order: waits.id, by: "8" }, at + minute, "Taken by <@8>"),
      action(
        { kind: "press", press: "Done", order: waits.id, by: "8" },
        at + 5 * minute,
        "Done by <@8>, Taken by <@8>",
      ),
    ),
  ],
  [
    "read too fast",
    "people asked for lists",
    {
      storeRequests: [
        ...polls,
        ...many(6, (index) => answeredBy(asked("/open-api/checkout/order?limit=100", at + index * 100))),
      ],
    },
  ],
  [
    "read too fast",
    "a poll went on after pages with orders of other statuses",
    {
      setup: { ...setup, store: { ...setup.store, honoursStatus: false } },
      storeRequests: [
        ...many(12, (index) => answeredBy(asked(`${listPath}&page=${index}`, 11_100 + index * 80))),
        ...polls,
      ],
    },
  ],
  [
    "asked with a refused token",
    "a poll began before, and the next one came while all requests waited",
    {
      troubles: [refusedToken],
      storeRequests: [refusedAt(at + second, secondPage), refusedAt(at + 22 * second)],
    },
  ],
  [
    "wrong delay",
    "the last poll went on with a page that failed",
    {
      storeRequests: [...polls.slice(0, 81).map(answeredBy), asked(secondPage, 20 * minute + second)],
      asked: [{ at: 21 * minute, text: `${checked(20 * minute)}\n**Delay:** 25 s` }],
    },
  ],
  [
    "a problem that is not told",
    "polls are rare, so that only the reading of earlier orders met the page that failed",
    {
      setup: { ...setup, pollMs: hour },
      storeRequests: [
        ...polls,
        ...many(4, (index) =>
          asked(secondPage, at + index * second, { answer: { status: 503, at: at + index * second } }),
        ),
      ],
      asked: [{ at: 20 * minute, text: `${checked(20 * minute)}\n**Last problem:** none` }],
    },
  ],
  [
    "reading without end",
    "the restored copy has another token",
    {
      troubles: [{ from: 5 * minute, to: 5 * minute, kind: "process", how: "restored", copiedAt: minute }],
      asked: [{ at: 30 * minute, text: `${checked(30 * minute)}\n**Earlier orders:** being read, 0 so far` }],
    },
  ],
  [
    "tried again and again",
    "Discord says each time how long to wait",
    {
      discordRequests: many(70, (index) =>
        asked(`/channels/${usual}/messages/1`, at + index * 8 * second, {
          method: "PATCH",
          answer: { status: 429, at: at + index * 8 * second },
        }),
      ),
      troubles: [downOfDiscord],
    },
  ],
  [
    "pressed for nothing",
    "the store was disconnected, and nobody chose a staff role after it was connected again",
    doing(
      about(waits, first),
      action({ kind: "disconnect" }, 30 * second),
      action({ kind: "connect" }, 40 * second),
      action({ kind: "press", press: "Take", order: waits.id, by: "7" }, at + minute, "⚠️ Only members with"),
    ),
  ],
  [
    "a problem that is not told",
    "the baseline requested the failing page after a poll had told of it",
    {
      ...asking(
        ...many(4, (index) => {
          const when = at + index * minute;
          return asked(listPath.replace("page=1", "page=3"), when, { answer: { status: 503, at: when } });
        }),
      ),
      asked: [{ at: 20 * minute, text: `${checked(20 * minute)}\n**Last problem:** <t:240:R> · The store` }],
    },
  ],
  [
    "a problem that is not told",
    "the bot still waited after an outage of which it tells",
    {
      troubles: [[at, 20 * minute] as const, [20.5 * minute, 24 * minute] as const].map(([from, to]) => ({
        from,
        to,
        kind: "store",
        how: "unavailable",
        isWhole: true,
      })),
      asked: [{ at: 26 * minute, text: `${checked(26 * minute)}\n**Last problem:** <t:1140:R> · The store` }],
    },
  ],
  ["stale alert", "Discord refused the edit in both forms", stale(...[1, 2].map(() => editRefused(pending, 400)))],
  ["stale alert", "the alert was deleted", stale(editRefused(pending, 404))],
  [
    "stale alert",
    "the store said twice that there is no such order",
    { ...stale(), storeRequests: [...polls, missing(30 * minute), missing(31 * minute)] },
  ],
  [
    "rule never told",
    "the order had the status already before its alert",
    { ...about(again, paidAlert), actions: [keys] },
  ],
  ...["paid rung twice", "alerted twice"].map((what): [string, string, Parameters<typeof evidence>[0]] => [
    what,
    "the order was unpaid when alerts about payments alone were turned on",
    {
      ...about(paidAgain, message(paidAgain, at + minute, { status: "Paid" }), paidAgainAlert),
      actions: [action({ kind: "alerts-off" }, 20 * minute), action({ ...alertsSet, statuses: ["PAID"] }, 22 * minute)],
      statuses: ["PAID"],
    },
  ]),
])("%s is not seen if %s", (what, _, given) => {
  expect(seen(evidence(given))).not.toContain(what);
});
