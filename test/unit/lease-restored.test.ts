import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLog } from "../../src/operations/log.ts";
import { createLease, type Lease } from "../../src/polling/lease.ts";
import { pass, second, storageOver } from "../support/lease-world.ts";

// A storage that is put back to an older state while the process that polls goes on: a restart of a Redis, a backup.

let kept: Map<string, string>;
let lease: Lease;
/** Numbers of the terms that began. */
let terms: (number | undefined)[];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  kept = new Map();
  terms = [];
  lease = createLease({
    storage: storageOver(() => kept),
    log: createLog({ level: "silent", terminal: false }),
    onTerm: () => void terms.push(lease.term()),
    onChanged: () => undefined,
    self: { host: "host", pid: 7 },
  });
  void lease.begin();
  await pass(second);
});

afterEach(async () => {
  await lease.end({ release: false });
  vi.useRealTimers();
});

describe("the right to poll", () => {
  it.each([
    ["an older one of its own", (older: Map<string, string>) => older],
    ["gone", () => new Map<string, string>()],
  ])("whose record is suddenly %s begins a new term", async (_, restored) => {
    expect(terms).toEqual([1]);

    const older = new Map(kept);
    await pass(20 * second);

    expect(terms, "as long as it is renewed, it goes on").toEqual([1]);

    const { signal } = lease;
    const first = signal();
    kept = restored(older);
    await pass(6 * second);

    expect(terms).toEqual([1, 2]);
    expect(first.aborted).toBe(true);

    await pass(60 * second);
    expect(terms, "and goes on again").toEqual([1, 2]);
  });
});
