import { type Checker, clockOf } from "../world/record.ts";
import { finding } from "./reading.ts";

/** Discord's limit for a bot, in requests a second. */
const discordPerSecond = 50;
/** Maximum number of running requests with one token. */
const storeAtOnce = 4;

/** The bot keeps the limits of Discord and of the store. */
export const budgets: Checker = ({ discordRequests, storeAtOnce: most }) => {
  const busiest = discordRequests.findIndex(
    ({ at }, index) => (discordRequests[index + discordPerSecond]?.at ?? Number.POSITIVE_INFINITY) < at + 1_000,
  );
  const at = clockOf(discordRequests[busiest]?.at ?? 0);
  const ofDiscord = busiest === -1 ? [] : finding("too many requests", `to Discord within a second, at ${at}`);
  const ofStore = most <= storeAtOnce ? [] : finding("too many requests", `${most} to the store at once`);
  return [...ofDiscord, ...ofStore];
};
