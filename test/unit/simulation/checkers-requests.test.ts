import { expect, test } from "vitest";
import {
  about,
  answeredBy,
  asked,
  asking,
  at,
  downOfDiscord,
  evidence,
  failingAlerts,
  listPath,
  many,
  message,
  minute,
  order,
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

const missing = (when: number) => asked("/open-api/checkout/order/1", when, { answer: { status: 404, at: when } });
const single = ({ id }: typeof waits, when: number) => answeredBy(asked(`/open-api/checkout/order/${id}`, when));
const shut = { from: at, to: at + 5 * minute, kind: "channel", how: "closed", channelId: "9" } as const;
const refusing = { from: at, to: at + 5 * minute, kind: "store", how: "token-refused" } as const;
const toRefusing = (index: number) =>
  asked("/channels/9/messages", at + index * second, { answer: { status: 403, at: 21 * minute } });
const failingEdit = (when: number) =>
  asked(`/channels/${usual}/messages/1`, when, { method: "PATCH", answer: { status: 503, at: when + 1 } });
const first = message(waits, at + second);
const refunded = order(
  2,
  ["PENDING", "REFUNDED"].map((status, index) => ({ at: at + index * minute, status })),
);
const pending = message(refunded, at + second);
const shownRefunded = {
  ...pending,
  versions: [...pending.versions, ...message(refunded, at + 2 * minute, { status: "Refunded" }).versions],
};

/** What the bot asked of the store and of Discord. */
test.each<[string, Parameters<typeof evidence>[0]]>([
  ["asked too much", asking(...polls, ...polls, ...polls)],
  ["asked too little", { storeRequests: [] }],
  ["asked in spite of 429", asking(asked(listPath, at, { answer: { status: 429, at: at + 1 } }))],
  ["asked with a refused token", { troubles: [refusedToken], ...asking(refusedAt(at + second)) }],
  ["two processes poll", { storeRequests: polls.map((one, index) => ({ ...one, life: 1 + (index % 2) })) }],
  ["asked a Discord that refuses", { troubles: [shut], discordRequests: many(150, toRefusing) }],
  ["asked for what is gone", asking(...many(13, (index) => missing(index * 4 * minute)))],
  [
    "asked for what is closed",
    {
      ...about(refunded, shownRefunded),
      ...asking(...many(11, (index) => single(refunded, at + 4 * minute + index * 15 * second))),
    },
  ],
  ["asked too often", asking(...many(12, (index) => answeredBy(asked(listPath, at + index * second))))],
  [
    "asked for what is listed",
    {
      ...about(waits, first),
      storeRequests: [...polls.map(answeredBy), ...many(11, (index) => single(waits, at + (index + 2) * minute))],
    },
  ],
  [
    "read too fast",
    {
      storeRequests: [
        ...many(6, (index) => answeredBy(asked(`${listPath}&page=${index}`, 10_100 + index * 100))),
        ...polls,
      ],
    },
  ],
  [
    "read too fast",
    {
      storeRequests: [
        ...many(12, (index) => answeredBy(asked(`${listPath}&page=${index}`, 11_100 + index * 80))),
        ...polls,
      ],
    },
  ],
  ["searched for nothing", { discordRequests: [asked("/channels/1/messages", at)], troubles: [refusing] }],
  ["tried a refusing channel", { ...refusedThere, discordRequests: [posting(at, 403), posting(at + 7 * second, 403)] }],
  [
    "tried again and again",
    { discordRequests: many(40, (index) => failingEdit(at + index * second)), troubles: [downOfDiscord] },
  ],
  ["sent to a Discord that fails", { discordRequests: failingAlerts, troubles: [downOfDiscord] }],
])("%s is seen, and nothing else", (what, given) => {
  expect(seen(evidence(given))).toEqual([what]);
});
