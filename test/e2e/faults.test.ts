import { describe, expect, test } from "vitest";
import type { Fault } from "../faults/fault.ts";
import { playFault } from "../faults/play-fault.ts";
import { blockedLoop, noDescriptors } from "../faults/process-faults.ts";
import { wrongIn } from "../faults/report.ts";
import { smallFiles } from "../faults/storage-faults.ts";
import { noNames } from "../faults/store-faults.ts";

const shortMs = 4_000;
const deadlineMs = 60_000;

interface Expected {
  readonly fault: Fault;
  readonly log: string;
  /** What `/store settings` is answered with. */
  readonly answer: string;
}

const expected: readonly Expected[] = [
  {
    fault: { ...smallFiles, lastsMs: shortMs },
    log: "a poll was cut short; nothing is lost",
    answer: "❌ The bot cannot reach its own storage at the moment",
  },
  {
    fault: { ...noNames, lastsMs: shortMs },
    log: "the store could not be read (`unavailable`)",
    answer: "The application did not respond",
  },
  { fault: blockedLoop, log: "the answer came too late", answer: "The application did not respond" },
  {
    fault: { ...noDescriptors, lastsMs: shortMs },
    log: "connection to Discord failed (`EMFILE`)",
    answer: "The application did not respond",
  },
];

describe.concurrent("a bot around which something goes wrong", () => {
  for (const { fault, log, answer } of expected) {
    test(
      `(${fault.title}) says so, loses and doubles nothing, and goes on by itself`,
      async () => {
        const played = await playFault(fault);

        expect(wrongIn(played)).toEqual([]);
        expect(played.placed).toBe(5);
        expect(played.log.join("\n")).toContain(log);
        expect(played.asked.at(-1)?.answer).toContain(answer);
        expect(played.metrics.lines).not.toEqual([]);
      },
      deadlineMs,
    );
  }
});

test(
  "an order that stands in the channel twice is told, and so is a process that ends",
  async () => {
    const twice: Fault = {
      title: "Somebody rings a second time",
      made: "",
      lastsMs: 0,
      orders: 3,
      async prepare({ discord, guild }) {
        const channel = guild.channel("new-orders");
        const texts = () => discord.messages(channel).map(({ content, embeds }) => JSON.stringify({ content, embeds }));
        return {
          begin: () => discord.say(guild.person("staff"), channel, texts().at(-1) ?? ""),
          async end(bot) {
            await bot.kill();
          },
          async [Symbol.asyncDispose]() {},
        };
      },
    };

    expect(wrongIn(await playFault(twice))).toEqual([]);
  },
  deadlineMs,
);
