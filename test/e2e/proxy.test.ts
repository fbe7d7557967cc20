import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { freePort } from "../support/process/free-port.ts";
import { startProxy, throughProxy } from "../support/process/proxy-process.ts";
import { alertOf, allShown, timesShown } from "../support/process/shown-orders.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/process/world.ts";
import { sized } from "../support/sized.ts";

const place = ({ store }: World, count: number) => store.placeOrders(count).map(({ id }) => id);

test("a bot behind the proxy answers commands, posts each order once and edits it; told to end, the proxy first gives back what is under way; killed in the middle of orders and started again, none is lost or doubled", async () => {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await createWorld());
  const port = await freePort();
  let proxy = await startProxy(world, port);
  stack.defer(() => proxy.kill());
  const bot = await world.start(throughProxy(port));
  await connectStore(world);
  await setAlerts(world);
  const ids = place(world, 3);
  await allShown(world, ids);
  world.store.setStatus(ids[0] ?? "", "PAID");
  await alertOf(world, ids[0] ?? "", (text) => text.includes("Paid"));

  expect(textOf(await run(world, "orders").settled())).toContain(ids[0]?.slice(0, 8));
  expect(timesShown(world, ids)).toEqual([1, 1, 1]);
  world.discord.fail({ method: "POST", path: /messages$/, times: 1, delayMs: 1_500 });
  const sent = world.discord.requests.length;
  ids.push(...place(world, 1));
  const isUnderWay = () =>
    world.discord.requests.slice(sent).find(({ method, path }) => method === "POST" && path.endsWith("/messages"));
  await world.discord.waitFor(isUnderWay, "the alert on its way");

  const end = await proxy.stop();

  expect(end.code).toBe(0);
  expect(end.ms).toBeGreaterThan(500);
  expect(proxy.output()).not.toContain(world.discord.token);
  await allShown(world, ids);
  proxy = await startProxy(world, port);
  for (const rest of sized([30], [60, 20])) {
    const before = ids.length;
    ids.push(...place(world, rest));
    const isShown = () => timesShown(world, ids.slice(before)).some((times) => times > 0);
    await world.discord.waitFor(isShown, "an alert of these");
    // At this moment, Discord's answer is on its way to the proxy, or the next message is on its way to Discord.
    await proxy.kill();
    ids.push(...place(world, 10));
    proxy = await startProxy(world, port);
  }
  await allShown(world, ids);
  expect(timesShown(world, ids)).toEqual(ids.map(() => 1));
  expect((await bot.stop()).code).toBe(0);
});

test("the proxy starts with its own settings alone, and says what it lacks", () => {
  const program = resolve(import.meta.dirname, "../../src/tools/proxy.ts");
  const env = { PATH: process.env.PATH, DISCORD_API_URL: "http://192.0.2.1/api" };

  const { status, stderr } = spawnSync(process.execPath, [program], { env, encoding: "utf8" });

  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toEqual([
    expect.stringContaining("DISCORD_TOKEN is missing"),
    expect.stringContaining("DISCORD_API_URL must begin with https://"),
    expect.stringContaining("HTTP_PORT is missing"),
  ]);
});
