import { setTimeout as wait } from "node:timers/promises";
import { Agent, request } from "undici";
import { atMost, line, median, type Report, rounded } from "../support/figure.ts";
import { freePort } from "../support/process/free-port.ts";
import { cpuOf, memoryOf } from "../support/process/process-usage.ts";
import { startProxy } from "../support/process/proxy-process.ts";
import { createWorld } from "../support/process/world.ts";

/** Below the 40 that the proxy lets through, so that no message waits. */
const perSecond = 30;
const channels = 50;
const warmUp = 400;
const count = 900;
const mostMs = 5;

/** The cost of a message through `npm run proxy` for the proxy. */
export async function reportProxyCost(): Promise<Report> {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await createWorld());
  const guild = world.discord.addGuild({
    channels: Array.from({ length: channels }, (_, index) => `channel-${index}`),
  });
  const port = await freePort();
  const proxy = await startProxy(world, port);
  stack.defer(() => proxy.kill());
  const dispatcher = new Agent();

  async function post(base: string, index: number): Promise<number> {
    const from = performance.now();
    const channel = guild.channel(`channel-${index % channels}`);
    const { statusCode, body } = await request(`${base}/v10/channels/${channel}/messages`, {
      dispatcher,
      method: "POST",
      headers: { authorization: `Bot ${world.discord.token}`, "content-type": "application/json" },
      body: JSON.stringify({ content: "x".repeat(1_000) }),
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
    return performance.now() - from;
  }

  async function postAll(base: string, messages: number): Promise<number[]> {
    const from = performance.now();
    const posted: Promise<number>[] = [];
    for (let index = 0; index < messages; index++) {
      await wait(Math.max(from + (index * 1_000) / perSecond - performance.now(), 0));
      posted.push(post(base, index));
    }
    return Promise.all(posted);
  }

  const through = `http://127.0.0.1:${port}/api`;
  await postAll(through, warmUp);
  const before = await cpuOf(proxy.pid);
  const proxied = await postAll(through, count);
  const cost = ((await cpuOf(proxy.pid)) - before) / count;
  const direct = await postAll(world.discord.apiUrl, count);
  return {
    title: "A proxy in front of Discord",
    how: `${rounded(count)} messages of 1,000 characters, ${perSecond} a second, in ${channels} channels, through \`npm run proxy\` and without it.`,
    figures: [
      line("Processor time of a request", cost, "ms", { target: atMost(mostMs) }),
      line("Time of a request, median", median(proxied), "ms", {
        baseline: `${rounded(median(direct))} ms without it`,
      }),
      line("Memory (RSS)", (await memoryOf(proxy.pid)).now, "MB"),
    ],
  };
}
