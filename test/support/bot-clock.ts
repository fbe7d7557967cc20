import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Bot } from "./world.ts";

/** The wall clock of a bot's process. */
export interface BotClock {
  /** What the bot has to be started with. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sets it so many milliseconds off the real time; resolves when that is so. Each value once for one bot. */
  set(bot: Bot, offsetMs: number): Promise<void>;
}

/**
 * @param directory where nothing else is called `clock`
 * @param offsetMs how far it is off the real time at first
 */
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
