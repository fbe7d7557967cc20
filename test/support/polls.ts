import type { World } from "./world.ts";

/** A schedule that matches once a year, and not today. */
export const yearly = `0 0 0 ${(new Date().getUTCDate() % 28) + 1} ${((new Date().getUTCMonth() + 5) % 12) + 1} *`;

/**
 * Waits until the bot has read the order list `count` more times in each of the shops, by default in the world's own.
 * Rejects after the deadline.
 */
export async function morePolls(
  { store }: World,
  count: number,
  options: { readonly shops?: readonly { readonly token: string }[]; readonly deadlineMs?: number } = {},
): Promise<void> {
  const { shops = [store], deadlineMs = 15_000 } = options;
  const polls = shops.map(({ token }) => ({ token, before: readsOf(token) }));
  function readsOf(token: string): number {
    return store.requests.filter((request) => request.token === token && request.path.endsWith("/order")).length;
  }
  await store.waitFor(
    () => polls.every(({ token, before }) => readsOf(token) >= before + count),
    `${count} more polls`,
    deadlineMs,
  );
}
