import { type Checker, clockOf } from "../world/record.ts";

/** Discord's limit for a bot, in requests a second. */
const discordPerSecond = 50;
/** Maximum number of running requests with one token. */
const storeAtOnce = 4;

/** The bot keeps the limits of Discord and of the store. */
export const budgets: Checker = ({ discordRequests, storeAtOnce: most }) => {
  const busiest = discordRequests.findIndex(
    ({ at }, index) => (discordRequests[index + discordPerSecond]?.at ?? Number.POSITIVE_INFINITY) < at + 1_000,
  );
  return [
    ...(busiest === -1
      ? []
      : [
          {
            what: "too many requests",
            text: `to Discord within a second, at ${clockOf(discordRequests[busiest]?.at ?? 0)}`,
          },
        ]),
    ...(most <= storeAtOnce ? [] : [{ what: "too many requests", text: `${most} to the store at once` }]),
  ];
};
