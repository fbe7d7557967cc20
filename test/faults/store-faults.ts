import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createBotClock } from "../support/process/bot-clock.ts";
import type { Fault } from "./fault.ts";

const outageMs = 12 * 60_000;

const byName = (url: string) => url.replace("127.0.0.1", "localhost");

export const noNames: Fault = {
  title: "DNS fails",
  made: "For 20 s DNS finds neither the store's nor Discord's host (EAI_AGAIN). When the fault begins, the connections to the store are cut.",
  lastsMs: 20_000,
  async prepare({ discord, store }) {
    const preload = pathToFileURL(join(import.meta.dirname, "processes/lookups-fail-on-signal.js"));
    return {
      environment: {
        NODE_OPTIONS: `--import=${preload}`,
        STORE_API_URL: byName(store.url),
        DISCORD_API_URL: byName(discord.apiUrl),
      },
      async begin(bot) {
        bot.signal("SIGUSR2");
        await store.down();
        await store.up();
      },
      end: (bot) => bot.signal("SIGUSR2"),
    };
  },
};

export const storeDown: Fault = {
  title: "The store is down for 12 minutes",
  made: "The store accepts no connections for 20 s. The test does not wait 12 minutes. During the 20 s it sets the bot's clock 12 minutes forward, so the bot loses its lease for a moment.",
  lastsMs: 20_000,
  async prepare({ store, directory }) {
    const clock = createBotClock(directory);
    return {
      environment: clock.environment,
      async begin(bot) {
        await store.down();
        await bot.printed("the store could not be read");
        await clock.set(bot, outageMs);
      },
      end: () => store.up(),
    };
  },
};
