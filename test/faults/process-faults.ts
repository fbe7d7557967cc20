import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createBotClock } from "../support/process/bot-clock.ts";
import type { Fault } from "./fault.ts";

const hourMs = 3_600_000;

const wrongClock = (title: string, hours: number): Fault => ({
  title,
  made: `The clock of the bot's machine is set ${Math.abs(hours)} h ${hours > 0 ? "forward" : "back"} for 20 s.`,
  lastsMs: 20_000,
  async prepare({ directory }) {
    const clock = createBotClock(directory);
    return {
      environment: clock.environment,
      begin: (bot) => clock.set(bot, hours * hourMs),
      // Not 0, because the value is printed and its line has to be new. A difference of one millisecond does no harm.
      end: (bot) => clock.set(bot, 1),
    };
  },
});

export const fastClock = wrongClock("The clock is 3 h fast", 3);
export const slowClock = wrongClock("The clock is 3 h slow", -3);

export const blockedLoop: Fault = {
  title: "The event loop is blocked",
  made: "One synchronous piece of work blocks the event loop for 5 s.",
  lastsMs: 5_000,
  async prepare() {
    const preload = pathToFileURL(join(import.meta.dirname, "../support/process/faults-on-signal.js"));
    return {
      environment: { NODE_OPTIONS: `--import=${preload}`, FAULT: "block" },
      begin: (bot) => bot.signal("SIGUSR2"),
    };
  },
};

export const noDescriptors: Fault = {
  title: "File descriptors are exhausted",
  made: "For 20 s the bot can open no further file or connection (`prlimit --nofile`). When the fault begins, the connections to the store and to the gateway are cut.",
  lastsMs: 20_000,
  async prepare({ discord, store }) {
    let before = "";
    const limit = (pid: number, soft: string) => execFileSync("prlimit", ["--pid", String(pid), `--nofile=${soft}:`]);
    return {
      async begin({ pid }) {
        const asked = ["--pid", String(pid), "--nofile", "--noheadings", "--raw", "--output", "SOFT"];
        before = execFileSync("prlimit", asked, { encoding: "utf8" }).trim();
        // Open descriptors stay open, but no number below this limit is free for another.
        limit(pid, "3");
        await store.down();
        await store.up();
        discord.gateway.drop();
      },
      end: ({ pid }) => limit(pid, before),
    };
  },
};
