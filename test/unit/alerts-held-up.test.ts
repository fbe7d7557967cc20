import { expect, it } from "vitest";
import { createAlertWorld, guildId, idsOf, type MemoryStore, timesPosted } from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";

/** Has the next call of this kind never answered; resolves when it was made. */
function hang(store: MemoryStore, call: "changedOrders" | "getOrder"): Promise<void> {
  const { promise: made, resolve } = Promise.withResolvers<void>();
  const answer = store[call];
  const never = (...args: readonly unknown[]) => {
    store[call] = answer as never;
    resolve();
    const signal = args.at(-1) as AbortSignal;
    return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  store[call] = never as never;
  return made;
}

it.each([
  ["a page", "changedOrders" as const],
  ["an order that left the list", "getOrder" as const],
])("a turn that is over waits for no store that hangs (%s), and counts no fault of the store", async (_, call) => {
  const world = await createAlertWorld();
  const hire = hireIn(world);
  await world.turnOn(hire());
  const [one, other] = [hire(), hire()];
  await one.turn();
  const [order] = world.store.place(1);
  if (!order) throw new Error("no order");
  await one.turn();
  order.status = "PAID";
  const [later = ""] = idsOf(world.store.place(1));

  const made = hang(world.store, call).then(() => true);
  let turn = one.turn();
  while (!(await Promise.race([made, turn]))) turn = one.turn();
  await other.turn();
  await turn;
  await other.turn();

  expect(timesPosted(world.channel, [order.id, later])).toEqual([1, 1]);
  expect((await one.alerts.status(guildId)).lastError).toBeUndefined();
  expect(JSON.stringify(world.channel.messages)).toContain("Paid");
});
