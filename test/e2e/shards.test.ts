import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gatewayTable } from "../../src/discord/gateway/gateway-sessions.ts";
import { identifiesTable } from "../../src/discord/gateway/identify-throttle.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { textOf } from "../sandbox/discord/discord.ts";
import { freePort } from "../support/process/free-port.ts";
import { type Bot, createWorld, run, type World } from "../support/process/world.ts";
import { sized } from "../support/sized.ts";

/** Shards that may identify at once. With one, as Discord allows most bots, 16 shards take a minute and a half. */
const atOnce = sized(8, 1);
const shardCount = 16;
const startDeadlineMs = 30_000 + (shardCount / atOnce) * 6_000;

/** Docs: Gateway, "Sharding". */
const idOn = (shard: number) => String((16n * 10_000_000_000n + BigInt(shard)) << 22n);

const framesOf = ({ discord }: World, op: number) =>
  discord.frames.filter((frame) => typeof frame === "object" && frame !== null && "op" in frame && frame.op === op);
const identifies = (world: World) => framesOf(world, 2).length;
const resumes = (world: World) => framesOf(world, 6).length;

const all = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

const up = ({ discord }: World, shards: readonly number[], deadlineMs?: number) =>
  discord.waitFor(
    () => (String(discord.gateway.shards()) === String(shards) ? true : undefined),
    `shards ${shards}`,
    deadlineMs,
  );

/** These settings need no store. */
const ask = (world: World, guildId: string) => run({ ...world, guild: world.discord.guild(guildId) }, "store settings");

const settings = "### ✅ Settings";

describe(`16 shards in two processes, ${atOnce} at a time`, () => {
  let world: World;
  let port: number;
  let first: Bot;
  let second: Bot;
  /** Discord's clock stops while a process restarts, because a busy machine can take longer than Discord's 3 s. */
  let frozenAt: number | undefined;
  const startSecond = () => world.launch({ SHARDS: "8-15/16", HTTP_PORT: String(port) });

  beforeAll(async () => {
    world = await createWorld({
      discord: { shards: shardCount, maxConcurrency: atOnce, now: () => frozenAt ?? Date.now() },
    });
    for (const shard of [2, 11]) world.discord.addGuild({ id: idOn(shard) });
    port = await freePort();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("are all up after as many turns as it takes", { timeout: startDeadlineMs + 5_000 }, async () => {
    first = world.launch({ SHARDS: "0-7/16" });
    second = startSecond();
    await up(world, all(0, 16), startDeadlineMs);
    // A busy machine may delay an identify until the next one comes. identify-throttle.test.ts states the times.
    expect(identifies(world) - world.discord.gateway.refusedIdentifies()).toBe(16);
  });

  test("answer in the servers of every shard, and each process watches its own shards", async () => {
    await Promise.all([first.printed('"msg":"ready"'), second.printed('"msg":"ready"')]);
    const answers = await Promise.all([2, 11].map((shard) => ask(world, idOn(shard)).settled()));
    for (const answer of answers) expect(textOf(answer)).toContain(settings);

    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    const connected = (await get("/metrics"))
      .split("\n")
      .filter((line) => line.startsWith("shopbell_gateway_connected{"));
    expect(connected.map((line) => /shard="(\d+)".* (\d)/.exec(line)?.slice(1).join(" "))).toEqual(
      all(8, 16).map((shard) => `${shard} 1`),
    );
    expect(await get("/readyz")).toBe("ready\n");
  });

  // A session below goes on after SIGKILL.
  test("go on after SIGTERM without an identify, and an interaction of that moment is answered", async () => {
    const before = { identifies: identifies(world), resumes: resumes(world) };

    expect((await second.stop()).code).toBe(0);
    await up(world, all(0, 8));
    frozenAt = Date.now();
    const asked = ask(world, idOn(11));
    second = startSecond();
    await up(world, all(0, 16));
    const answer = await asked.settled();
    frozenAt = undefined;

    expect(textOf(answer)).toContain(settings);
    expect({ identifies: identifies(world), resumes: resumes(world) }).toEqual({
      ...before,
      resumes: before.resumes + 8,
    });
  });
});

describe("a session that is kept", () => {
  let world: World;
  /** The process that was started last. */
  let next: Bot;
  beforeAll(async () => {
    // The tests above cover how often a bot may identify.
    world = await createWorld({ discord: { identifyEveryMs: 0 } });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const answers = async () => textOf(await ask(world, world.guild.id).settled());

  /** No process runs meanwhile. The next one may identify at once. */
  async function alter(change: { sessionId?: string; sequence?: number }) {
    const storage = await openStorage(`sqlite://${world.database}`, {
      warn: () => undefined,
    });
    const table = storage.table(gatewayTable);
    const kept = await table.get("0");
    if (!kept) throw new Error("no session is kept");
    await table.set("0", { ...kept, ...change });
    await storage.table(identifiesTable).clear();
    await storage.close();
  }

  test("is begun by the first start, and replays to the next what happened in between: a server that added the bot is greeted, one that removed it is forgotten", async () => {
    const removed = world.discord.addGuild();
    const bot = await world.start();
    await bot.printed('"msg":"ready"');
    await bot.stop();
    world.discord.removeGuild(removed.id);
    const joined = world.discord.addGuild({ systemChannel: "staff", joinedAt: Date.now() });

    next = await world.start();
    await next.printed(`"guild":"${removed.id}","msg":"removed from a server; its data is deleted"`);
    await world.discord.waitFor(() => world.discord.messages(joined.channel("staff"))[0], "the greeting");
    world.discord.setGuildUnavailable(world.guild.id);
    world.discord.setGuildUnavailable(world.guild.id, false);
    expect(await answers()).toContain(settings);

    expect(next.output().match(/"msg":"joined a server"/g)).toHaveLength(1);
    expect([identifies(world), resumes(world)]).toEqual([1, 1]);
  });

  test("that is set back replays interactions, and none of their work is done twice", async () => {
    const asked = ask(world, world.guild.id);
    expect(textOf(await asked.settled())).toContain(settings);
    await next.kill();
    await alter({ sequence: 1 });

    next = await world.start();
    await next.printed('"msg":"another process answered, or the answer came too late"');
    expect(await answers()).toContain(settings);
    await next.stop();

    const callbacks = asked.requests.map(({ path, status }) => [path.endsWith("/callback"), status]);
    expect(callbacks).toEqual([
      [true, 204],
      [false, 200],
      [true, 400],
    ]);
  });

  // `gateway-sessions.test.ts` has sessions that are not tried at all.
  test("unknown to Discord, as in a restored backup, gives way to a new one", async () => {
    await alter({ sessionId: "gone" });
    const before = { identifies: identifies(world), resumes: resumes(world) };
    const joined = world.discord.addGuild({ systemChannel: "staff", joinedAt: Date.now() });

    next = world.launch();
    await next.printed('"msg":"ready"');
    await world.discord.waitFor(() => world.discord.messages(joined.channel("staff"))[0], "the greeting");
    expect(await answers()).toContain(settings);

    expect(identifies(world)).toBeGreaterThan(before.identifies);
    expect(resumes(world)).toBe(before.resumes + 1);
  });

  test("is taken over once by a second process with the same shards, and the two do not fight for it", async () => {
    const before = { identifies: identifies(world), resumes: resumes(world) };
    const bothConnected = () =>
      world.discord.waitFor(() => world.discord.gateway.shards().length === 2 || undefined, "both of them");
    const other = world.launch();
    await next.printed("another process on this storage has taken over the session of this shard");
    await bothConnected();
    expect([identifies(world), resumes(world)]).toEqual([before.identifies + 1, before.resumes + 1]);

    world.discord.gateway.drop(4_000);
    const resumedTwice = () => resumes(world) === before.resumes + 3 || undefined;
    await world.discord.waitFor(resumedTwice, "each with its own session");
    await bothConnected();

    expect(identifies(world)).toBe(before.identifies + 1);
    for (const bot of [next, other]) expect((await bot.stop()).code).toBe(0);
  });
});
