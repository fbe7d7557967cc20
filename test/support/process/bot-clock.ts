import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Bot } from "./world.ts";

interface BotClock {
  /** The environment in which the bot must be started. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sets the difference to the real time, and resolves when the bot has it. Use each value only once for one bot. */
  set(bot: Bot, offsetMs: number): Promise<void>;
}

/** `directory` must have no other file named `clock`. `offsetMs`: the difference to the real time at the start. */
export function createBotClock(directory: string, offsetMs = 0): BotClock {
  const file = join(directory, "clock");
  const preload = pathToFileURL(join(import.meta.dirname, "movable-clock.js"));
  return {
    environment: { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: file, CLOCK_OFFSET_MS: String(offsetMs) },
    async set(bot, nextMs) {
      await writeFile(file, String(nextMs));
      bot.signal("SIGUSR2");
      await bot.printed(`the wall clock is ${nextMs} ms off`);
    },
  };
}
