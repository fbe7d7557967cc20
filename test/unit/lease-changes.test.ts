import { afterEach, expect, it } from "vitest";
import { noMetrics } from "../../src/basics/metrics.ts";
import { createPolling } from "../../src/create-polling.ts";
import { createGuilds } from "../../src/guilds/guilds.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { createLog } from "../../src/operations/log.ts";
import type { Messenger } from "../../src/outbox/messenger.ts";
import { leaseTable } from "../../src/polling/lease.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { type Storage, StorageError, type Table } from "../../src/storage/table.ts";
import type { StoreApi } from "../../src/store-api/store-api.ts";

const log = createLog({ level: "silent", terminal: false });
const ending = new AbortController();
afterEach(() => ending.abort());

it("a change that another process made is told to the one that polls, though the storage failed when it was told first", async () => {
  const whole = await openStorage("sqlite://:memory:", log);
  const vault = createVault([Buffer.alloc(32, 7)]);
  let failures = 0;
  const failingFirst = <T>(table: Table<T>): Table<T> => ({
    ...table,
    async set(...args) {
      if (failures++ === 0) throw new StorageError("set", new Error("restarted"));
      await table.set(...args);
    },
  });
  const failing: Storage = {
    ...whole,
    table: (shape, part) =>
      shape.name === leaseTable.name ? failingFirst(whole.table(shape, part)) : whole.table(shape, part),
  };
  const heard = Promise.withResolvers<void>();
  const start = async (role: "all" | "gateway", storage: Storage, onChanged: () => void) => {
    const guilds = createGuilds({ storage, vault });
    const polling = await createPolling({
      config: { pollSchedule: "0 0 0 * * *", queueUrl: undefined, role },
      storage,
      vault,
      guilds,
      storeApi: {} as StoreApi,
      messenger: {} as Messenger,
      log,
      metrics: noMetrics,
      signal: ending.signal,
      applicationId: "1",
      assertPrepared: async () => undefined,
      onTerm: () => undefined,
      onChanged,
    });
    await polling.begin();
    return { guilds, polling };
  };
  const { polling } = await start("all", whole, heard.resolve);
  const gateway = await start("gateway", failing, () => undefined);
  await gateway.guilds.update("1", (guild) => ({ ...guild, settings: { ...guild.settings, language: "pt-BR" } }));

  await heard.promise;
  expect(failures).toBeGreaterThan(1);
  await polling.end();
  await whole.close();
}, 20_000);
