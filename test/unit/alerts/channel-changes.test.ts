import { afterEach, expect, it, vi } from "vitest";
import { noMetrics } from "../../../src/basics/metrics.ts";
import { createPolling } from "../../../src/create-polling.ts";
import { createVault } from "../../../src/guilds/vault.ts";
import { noticesTable } from "../../../src/outbox/notices.ts";
import { changesTable, partitionOf, polledTable, randomValue } from "../../../src/storage/polled-servers.ts";
import { StorageError } from "../../../src/storage/table.ts";
import { rule } from "../../support/engine/rules-world.ts";
import { silentLog } from "../../support/recorded-log.ts";
import { useStorage } from "../../support/use-storage.ts";

const storage = useStorage();
let ends = new AbortController();
afterEach(() => {
  ends.abort();
  ends = new AbortController();
  vi.useRealTimers();
});

function createGatewayPolling(assertPrepared = async () => {}) {
  const unused = {} as never;
  return createPolling({
    config: { role: "gateway", queueUrl: undefined, pollSchedule: "*/15 * * * * *" },
    storage,
    vault: createVault([Buffer.alloc(32, 7)]),
    storeApi: unused,
    messenger: unused,
    log: silentLog,
    metrics: noMetrics,
    signal: ends.signal,
    applicationId: "1",
    assertPrepared,
  });
}

it("a gateway is not ready while its storage does not answer", async () => {
  vi.useFakeTimers();
  const assertPrepared = vi.fn(async () => {});
  const { health } = await createGatewayPolling(assertPrepared);
  await vi.advanceTimersToNextTimerAsync();
  expect(health.notReady()).toBeUndefined();
  assertPrepared.mockRejectedValueOnce(new StorageError("get data", new Error("ECONNREFUSED")));
  await vi.advanceTimersToNextTimerAsync();
  expect(health.notReady()).toBe("storage: no answer");
  await vi.advanceTimersToNextTimerAsync();
  expect(health.notReady()).toBeUndefined();
});

it("a gateway tells the worker of a channel's change if a present rule is refused, and not if a removed one was", async () => {
  const { alerts, guilds } = await createGatewayPolling();
  const [removed, present] = ["1000000000000000001", "1000000000000000002"];
  const changeOf = (id: string) => storage.table(changesTable).get(String(partitionOf(id)));
  const kept = rule({ id: "present" });
  for (const id of [removed, present]) {
    await storage.table(polledTable, String(partitionOf(id))).set(id, randomValue());
    await guilds.update(id, (guild) => ({ ...guild, routes: [kept] }));
  }
  const told = { since: 1, told: true };
  await storage.table(noticesTable).set(removed, { problems: { removed: told } });
  await storage.table(noticesTable).set(present, { problems: { [kept.id]: told } });
  const before = { removed: await changeOf(removed), present: await changeOf(present) };
  expect(partitionOf(removed), "each has a partition of its own").not.toBe(partitionOf(present));

  // Changes are handled in this order.
  alerts.channelChanged(removed);
  alerts.channelChanged(present);
  await expect.poll(() => changeOf(present)).not.toEqual(before.present);
  expect(await changeOf(removed)).toEqual(before.removed);
});
