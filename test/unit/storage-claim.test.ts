import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLog } from "../../src/operations/log.ts";
import { createStorageClaim } from "../../src/poll-queue/storage-claim.ts";
import { createLease } from "../../src/polling/lease.ts";
import { pass, storageOver } from "../support/lease-world.ts";

const log = createLog({ level: "silent", terminal: false });
const stepMs = 50;

let kept: Map<string, string>;

beforeEach(() => {
  vi.useFakeTimers();
  kept = new Map();
});
afterEach(() => vi.useRealTimers());

const storage = (slowMs = 0) =>
  storageOver(
    () => kept,
    async (operation) => {
      if (slowMs > 0 && operation === "commit") await new Promise((resolve) => setTimeout(resolve, slowMs));
    },
  );
const newClaim = (slowMs = 0, check = async () => undefined) =>
  createStorageClaim({ storage: storage(slowMs), log, check });
const newLease = () =>
  createLease({
    storage: storage(),
    log,
    onTerm: () => undefined,
    onChanged: () => undefined,
    self: { host: "alone", pid: 5 },
  });

describe("the workers' claim on a storage", () => {
  test("is one for all of them", async () => {
    const [one, other] = [newClaim(), newClaim()];
    void one.begin();
    void other.begin();
    await pass(2_000);
    expect([one.isMine(), other.isMine()]).toEqual([true, true]);
    await pass(60_000);
    expect([one.isMine(), other.isMine()]).toEqual([true, true]);
  });

  test.each([0, 150, 400])(
    "is never held beside the lease of a process without a queue, where both begin at once and a write takes %i ms",
    async (slowMs) => {
      const [claim, lease] = [newClaim(slowMs), newLease()];
      void claim.begin();
      void lease.begin();
      let holders = 0;
      for (let passed = 0; passed < 30_000; passed += stepMs) {
        await pass(stepMs);
        const both = claim.isMine() && lease.term() !== undefined;
        expect(both).toBe(false);
        if (claim.isMine() || lease.term() !== undefined) holders++;
      }
      expect(holders).toBeGreaterThan(0);
    },
  );

  test("waits for a process without a queue, and goes on when that is gone", async () => {
    const lease = newLease();
    void lease.begin();
    await pass(1_000);
    const claim = newClaim();
    void claim.begin();
    await pass(40_000);
    expect(claim.isMine()).toBe(false);

    const ended = lease.end({ release: true });
    await pass(20_000);
    await ended;
    expect(claim.isMine()).toBe(true);
  });

  test("lapses where the data is none that this version works with any more", async () => {
    let isPrepared = true;
    const claim = newClaim(0, async () => {
      if (!isPrepared) throw new Error("later data");
    });
    void claim.begin();
    await pass(2_000);
    expect(claim.isMine()).toBe(true);

    isPrepared = false;
    await pass(20_000);
    expect(claim.isMine()).toBe(false);
  });
});
