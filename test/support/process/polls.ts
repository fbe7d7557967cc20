import type { World } from "./world.ts";

/** Matches once a year, and not today. */
export const yearly = `0 0 0 ${(new Date().getUTCDate() % 28) + 1} ${((new Date().getUTCMonth() + 5) % 12) + 1} *`;

/** Waits until the bot has read the shop's order list `count` more times. */
export async function morePolls(
  { store }: World,
  count: number,
  { token }: { readonly token: string } = store,
): Promise<void> {
  const reads = () =>
    store.requests.filter((request) => request.token === token && request.path.endsWith("/order")).length;
  const before = reads();
  await store.waitFor(() => reads() >= before + count, `${count} more polls`);
}
