import { describe, expect, test } from "vitest";
import type { Fault } from "../faults/fault.ts";
import { playFault } from "../faults/play-fault.ts";
import { blockedLoop, noDescriptors } from "../faults/process-faults.ts";
import { wrongIn } from "../faults/report.ts";
import { smallFiles } from "../faults/storage-faults.ts";
import { noNames } from "../faults/store-faults.ts";
import { textOf } from "../sandbox/discord/discord.ts";

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

test("an order that stands in the channel twice is found, as are a lost one, a missing edit and a dead process", async () => {
  const twice: Fault = {
    title: "Twice",
    made: "Somebody rings the first order a second time.",
    lastsMs: 0,
    async prepare({ discord, guild }) {
      const channel = guild.channel("new-orders");
      const said = () => discord.messages(channel).map(textOf).at(-1) ?? "";
      return {
        begin: () => discord.say(guild.person("staff"), channel, said()),
      };
    },
  };

  const played = await playFault(twice);

  expect(wrongIn(played)).toEqual(["Twice: 1 orders came to the channel more than once"]);
  expect(wrongIn({ ...played, doubled: 0 })).toEqual([]);
  expect(wrongIn({ ...played, doubled: 0, lost: 2, isEdited: false, endCode: 1 })).toEqual([
    "Twice: 2 orders never came to the channel",
    "Twice: the order that was paid does not say so",
    "Twice: the process ended with 1",
  ]);
});
