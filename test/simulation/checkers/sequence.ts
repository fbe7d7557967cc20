import { type Checker, clockOf, firstOf } from "../world/record.ts";
import { finding, hasRecovered, kindOf, name, pollsIfSorted, pollsToFind, without } from "./reading.ts";

/** A poll reads this many pages of new orders. */
const pagesOfPoll = 20;

/**
 * In each channel an order's alert comes before the alerts of orders that were placed several polls later, also if the alerts
 * had to wait because the channel was closed.
 */
export const sequence: Checker = (given) => {
  const { setup, messages, orders } = given;
  const { rowsPerPage = 100, honoursStatus, times } = setup.store;
  const evidence = without(given, "channel");
  const later = [...orders.values()].filter(({ placedAt }) => placedAt > 0);
  const isFound = honoursStatus || times === "own" || orders.size <= rowsPerPage;
  // Each poll finds all orders that were placed since the poll before it.
  if (pollsToFind(evidence, true) !== pollsIfSorted || !isFound || later.length > pagesOfPoll * rowsPerPage) return [];
  const apartMs = 4 * setup.pollMs;
  const alerts = messages.filter((message) => kindOf(message) === "alert");
  return [...Map.groupBy(alerts, ({ channelId }) => channelId).values()].flatMap((inChannel) => {
    let latest: { readonly placedAt: number; readonly text: string } | undefined;
    return inChannel.flatMap((message) => {
      const placed = firstOf(message).orders.flatMap((id) => orders.get(id) ?? []);
      const before = latest;
      for (const order of placed) {
        if (order.placedAt > (latest?.placedAt ?? 0)) latest = { placedAt: order.placedAt, text: name(order) };
      }
      return placed.flatMap((order) => {
        const isEarlier = before !== undefined && order.placedAt > 0 && order.placedAt + apartMs < before.placedAt;
        if (!isEarlier || order.statuses.length > 1 || !hasRecovered(evidence, order.placedAt, message.at)) return [];
        return finding("out of turn", `${name(order)} at ${clockOf(message.at)}, after ${before.text}`);
      });
    });
  });
};
