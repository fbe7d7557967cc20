import { describe, expect, it } from "vitest";
import { worksOfCommands } from "../../largest/commands.ts";
import { largestFiles, readFile } from "../../largest/files.ts";
import { fillers } from "../../largest/inputs.ts";
import { worksOfParsers } from "../../largest/parsers.ts";
import { worksOfViews } from "../../largest/views.ts";
import { fillersNamed } from "../../largest/work.ts";
import { turnsDuring } from "../../support/event-loop-turns.ts";
import { sized } from "../../support/sized.ts";
import { expectTaken } from "../../support/views-support.ts";

// `npm run bench -- event-loop` measures how long each takes.
describe("nothing fails, and Discord accepts each answer, whatever people and their store send", () => {
  const names = ["joined", "shortLines", "letters", "stars", "conjuncts", "blanks", "invisible"];
  const some = fillersNamed(names.slice(0, sized(2, names.length)));
  const all = [...fillers];
  const third = all.filter((_, index) => index % sized(3, 1) === 0);

  it.each([...worksOfCommands()])("/%s", async (_, make) => {
    for (const { what, run } of make(some)) expectTaken(await run(), what);
  });

  it.each([...worksOfViews])("%s", (_, make) => {
    for (const { what, run } of make(all)) expectTaken(run(), what);
  });

  it.each([...worksOfParsers])("%s", (_, make) => {
    for (const { run } of make(third)) run();
  });
});

it("other work gets a turn of the event loop for each kibibyte of a file", async () => {
  for (const [what, text] of largestFiles) {
    const { turns, result } = await turnsDuring(() => readFile(text));
    if (result !== undefined) expect(turns, what).toBeGreaterThanOrEqual(Math.floor(text.length / 1_024));
  }
});
