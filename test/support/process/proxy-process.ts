import { resolve } from "node:path";
import { type Bot, launchBot } from "../../sandbox/launch-bot.ts";
import type { World } from "./world.ts";

const program = resolve(import.meta.dirname, "../../../src/tools/proxy.ts");

export const throughProxy = (port: number) => ({ DISCORD_API_URL: `http://127.0.0.1:${port}/api` });

/** As `npm run proxy`. Resolves when the proxy serves. */
export async function startProxy({ discord, directory }: World, port: number): Promise<Bot> {
  const proxy = launchBot({
    command: [process.execPath, program],
    directory,
    environment: {
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      HTTP_PORT: String(port),
      LOG_LEVEL: "trace",
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    },
  });
  await proxy.printed("ready");
  return proxy;
}
