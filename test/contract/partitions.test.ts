import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fencedCommit } from "../../src/orders/guild-lease.ts";
import { HeldPartitions } from "../../src/polling/held-partitions.ts";
import { lockOutBots } from "../../src/polling/lock-out-bots.ts";
import { createProcessLease } from "../../src/polling/process-lease.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { announcementOf, partitionCount, partitionOf } from "../../src/storage/polled-servers.ts";
import { absent, anyVersion, type Storage, type WholeStorage } from "../../src/storage/table.ts";
import { sized } from "../support/sized.ts";
import { stored } from "../support/stored.ts";
import { type StorageFixture, storageKinds } from "./storage-fixtures.ts";

// Of two processes on one storage, only the one that holds a partition records anything for its servers.

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const guildId = "1000000000000000001";
const names = stored<{ readonly by: string }>("names");

function newProcess(storage: Storage, by: string) {
  const changed: string[] = [];
  let isExpired = false;
  const partitions = new HeldPartitions({
    storage,
    membership: { id: `${by} ${randomUUID()}`, isExpired: () => isExpired },
    log,
    signal: new AbortController().signal,
    onServers: () => undefined,
    onChanged: (guildIds) => void changed.push(...guildIds),
    onLost: () => undefined,
  });
  const right = partitions.leaseOf(guildId);
  const table = storage.table(names);
  const commit = fencedCommit(storage, right, right.fence);
  const commitHappened = fencedCommit(storage, right, right.ownerFence);
  return {
    by,
    partitions,
    right,
    changed,
    /** Also takes what others hold. */
    takeAll: async () => partitions.take(await partitions.owned()),
    async announces(isPolled: boolean, id = guildId) {
      const announcement = await announcementOf(storage, id, isPolled);
      await storage.commit(announcement.steps);
      partitions.announced(announcement);
    },
    /** Whether a commit went through. The commit also says who made it. */
    async commits(): Promise<boolean> {
      const [row = absent("a")] = await table.read(["a"]);
      return commit([table.put(row, { by })]);
    },
    /** Records what was sent, as often as needed. */
    async sets() {
      for (let isDone = false; !isDone; ) isDone = await commitHappened([table.put(anyVersion("a"), { by })]);
    },
    end() {
      isExpired = true;
    },
  };
}

describe.each(sized(storageKinds.slice(0, 1), [...storageKinds]))(
  "partitions on $kind",
  ({ installed, create, packages }) => {
    if (!installed) return void it.skip(`needs ${packages}: apt-get install ${packages}`);
    let fixture: StorageFixture;
    let storage: WholeStorage;
    let first: ReturnType<typeof newProcess>;
    let second: ReturnType<typeof newProcess>;
    beforeAll(async () => {
      fixture = await create();
    });
    afterAll(() => fixture.remove());
    beforeEach(async () => {
      storage = await openStorage(fixture.url, { warn: () => undefined });
      for (const name of ["members", "partitions", "polled-marks", "names", `polled:${partitionOf(guildId)}`]) {
        await storage.table(stored(name)).clear();
      }
      [first, second] = [newProcess(storage, "first"), newProcess(storage, "second")];
    });
    afterEach(() => storage.close());

    const lastBy = async () => (await storage.table(names).get("a"))?.by;

    it("are taken by one process, all or none; the process before, which was suspended, records nothing", async () => {
      const rows = await second.partitions.owned();
      await first.takeAll();
      await second.partitions.take(rows);
      expect([first, second].map(({ partitions }) => partitions.numbers.length)).toEqual([partitionCount, 0]);

      await second.takeAll();
      expect(await first.commits()).toBe(false);
      expect(first.right.signal().aborted).toBe(true);
      await expect(first.commits()).rejects.toThrow();
      await expect(first.sets()).rejects.toThrow();
      expect(await second.commits()).toBe(true);
      expect(await lastBy()).toBe("second");
    });

    it("that are lost by the clock still record what was sent, until another process takes them", async () => {
      await first.takeAll();
      first.end();
      expect(first.right.signal().aborted).toBe(true);
      await expect(first.commits()).rejects.toThrow();
      await first.sets();
      expect(await lastBy()).toBe("first");

      await second.takeAll();
      await expect(first.sets()).rejects.toThrow();
    });

    it("refuse a commit if another process changed the server's data, and report servers that came and went there", async () => {
      await first.takeAll();
      await second.announces(true);
      expect(await first.commits()).toBe(false);
      expect([first.partitions.guildIds(), first.changed]).toEqual([[guildId], [guildId]]);
      expect(await first.commits()).toBe(true);

      await first.announces(true);
      await first.partitions.hear();
      expect(first.changed, "changes by this process are not reported").toEqual([guildId]);

      await second.announces(false);
      await first.partitions.hear();
      expect(first.partitions.guildIds()).toEqual([]);

      const neighbour = Array.from({ length: 1_000 }, (_, id) => String(id)).find(
        (id) => partitionOf(id) === partitionOf(guildId),
      );
      await second.announces(true, neighbour);
      await first.announces(true);
      await first.partitions.hear();
      expect(first.changed, "an own change hides no earlier change by others").toContain(neighbour);
    });

    it("that are given back are free, and rows written before are not valid after they are taken again", async () => {
      await first.takeAll();
      first.partitions.loseAll();
      await first.partitions.free(await first.partitions.owned());
      await expect(first.sets()).rejects.toThrow();
      await first.takeAll();
      expect(await first.commits()).toBe(true);
    });

    it("are kept from bots by a program, and from that by a bot that is alive", async () => {
      const membership = createProcessLease({ storage, shares: false, self: { host: "elsewhere", pid: 1 } });
      expect(await membership.renew(undefined)).toBe(true);
      const beats = setInterval(() => void membership.renew(undefined), 100);
      expect(await lockOutBots(storage)).toBeUndefined();
      clearInterval(beats);
      await membership.leave();

      const kept = await lockOutBots(storage);
      expect(kept?.isBroken()).toBe(false);
      await second.takeAll();
      await kept?.end();
      expect(await second.commits()).toBe(true);
    });

    it("are kept from bots by a program, although a bot ended while the program waited to be sure", async () => {
      const self = { host: "elsewhere", pid: 1 };
      const membership = createProcessLease({ storage, shares: false, self });
      await membership.renew(undefined);
      await first.takeAll();
      const waiting = lockOutBots(storage);
      first.partitions.loseAll();
      await first.partitions.free(await first.partitions.owned());
      await membership.leave();
      const kept = await waiting;
      expect(kept?.isBroken()).toBe(false);
      await kept?.end();
    });

    it("are kept from bots by one program at a time, even if two begin together", async () => {
      let other: ReturnType<typeof lockOutBots> | undefined;
      const kept = await lockOutBots({
        table: (shape, part) => storage.table(shape, part),
        async commit(steps) {
          other ??= lockOutBots(storage);
          await other;
          return storage.commit(steps);
        },
      });
      expect(kept).toBeUndefined();
      const othersKept = await other;
      expect(othersKept?.isBroken()).toBe(false);
      await othersKept?.end();
    });
  },
);
