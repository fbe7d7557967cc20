import { Redis } from "ioredis";

/** Collects commands that clients send from now on, each word as JSON. Commands of scripts are left out. */
export async function watchCommands(url: string): Promise<Disposable & { readonly seen: readonly string[] }> {
  const redis = new Redis(url);
  const monitor = await redis.monitor();
  const seen: string[] = [];
  monitor.on("monitor", (_time: string, words: readonly string[], source: string) => {
    if (source !== "lua") seen.push(words.map((word) => JSON.stringify(word)).join(" "));
  });
  return {
    seen,
    [Symbol.dispose]() {
      monitor.disconnect();
      redis.disconnect();
    },
  };
}
