import { describe, expect, test } from "vitest";
import type { Fault } from "../faults/fault.ts";
import { type Played, playFault } from "../faults/play-fault.ts";
import { blockedLoop, noDescriptors } from "../faults/process-faults.ts";
import { wrongIn } from "../faults/report.ts";
import { smallFiles } from "../faults/storage-faults.ts";
import { noNames } from "../faults/store-faults.ts";

const shortMs = 4_000;

// `npm run faults` plays all of them at their full length, and writes what is seen of each into docs/faults.md.
const faults: readonly Fault[] = [smallFiles, noNames, noDescriptors].map((fault) => ({ ...fault, lastsMs: shortMs }));

describe.concurrent("a bot around which something goes wrong", () => {
  test.each([...faults, blockedLoop])("($title) loses and doubles nothing, and goes on by itself", async (fault) => {
    const played = await playFault(fault);

    expect(wrongIn(played)).toEqual([]);
    expect(played.placed).toBe(5);
    expect(played.log).not.toEqual([]);
    expect(played.metrics.lines).not.toEqual([]);
  });
});

test("a lost order is told, as are a doubled one, a missing edit and a dead process", async () => {
  const seen = { fault: blockedLoop, lost: 2, doubled: 1, isEdited: false, endCode: 1 } as Played;
  expect(wrongIn(seen)).toEqual([
    "The event loop is blocked: 2 orders never came to the channel",
    "The event loop is blocked: 1 orders came to the channel more than once",
    "The event loop is blocked: the order that was paid does not say so",
    "The event loop is blocked: the process ended with 1",
  ]);
});
