import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { freePort } from "../support/process/free-port.ts";
import { alertOf, allShown, timesShown } from "../support/process/shown-orders.ts";
import { type Bot, connectStore, createWorld, run, setAlerts, type World } from "../support/process/world.ts";

/** Half of the shortest time for which a pretend service keeps the bot waiting here. The bot itself gives its end 9 s. */
const endMs = 15_000;

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const lines = (bot: Bot) => bot.output().trimEnd().split("\n");
/** Logged at a level: 40 for warnings, 50 for errors. */
const messages = (bot: Bot, level: number) =>
  lines(bot).flatMap((line) => (line.includes(`"level":${level}`) ? [JSON.parse(line).msg] : []));
const isPut = ({ method, path }: { method: string; path: string }) => method === "PUT" && path.includes("/commands");
const answers = async (where: World) => textOf(await run(where, "store settings").settled());

async function expectCleanEnd(bot: Bot) {
  const { code, ms } = await bot.stop();
  expect(code).toBe(0);
  expect(ms).toBeLessThan(endMs);
  expect(bot.output()).not.toContain('"level":50');
}

describe("a start that cannot succeed", () => {
  test("a token that Discord refuses ends the start with a line that names the variable", async () => {
    const bot = world.launch({ DISCORD_TOKEN: "not.the.token" });
    expect(await bot.exited).toBe(1);

    expect(messages(bot, 50)).toEqual([
      "Shopbell could not start: Discord refused the bot (401: Unauthorized); check DISCORD_TOKEN in .env; Reset Token, in the Discord developer portal under Bot, makes a new one",
    ]);
    expect(bot.output()).not.toMatch(/not\.the\.token|"stack"/);
  });

  test("a storage that cannot be opened ends the start with a line that names the file, the reason and what to do (was: storage failed: open)", async () => {
    const bot = world.launch({ STORAGE_URL: "sqlite:///dev/null/shopbell.sqlite" });
    expect(await bot.exited).toBe(1);

    expect(messages(bot, 50)).toEqual([
      expect.stringMatching(
        /^Shopbell could not start: the storage at \/dev\/null\/shopbell\.sqlite failed \(E[A-Z]+\); check STORAGE_URL, .*; npm run doctor says what else is wrong there$/,
      ),
    ]);
  });

  test("a key that cannot be read or made ends the start with what to do (before: internal)", async () => {
    await using own = await createWorld();
    await writeFile(join(own.directory, "data"), "a file in place of the directory");
    const bot = own.launch();
    expect(await bot.exited).toBe(1);

    expect(messages(bot, 50)).toEqual([
      "Shopbell could not start: data/secret.key cannot be read or made (ENOTDIR); let the user of the bot read it, and write its directory",
    ]);
  });
});

describe("the connection", () => {
  let bot: Bot;
  beforeAll(async () => {
    const settings = `STORE_API_URL=${world.store.url}\nLOG_LEVEL=loud\nROLE=all\nSHARDS=auto\n`;
    await writeFile(join(world.directory, ".env"), settings, { mode: 0o644 });
    bot = await world.start({ STORE_API_URL: undefined, LOG_LEVEL: "info" });
  });
  afterAll(async () => {
    expect((await bot.stop("SIGINT")).code).toBe(0);
  });

  test("has the settings of .env, and the process environment comes before it; a file that other users may open is a warning (0.1.0: not a word)", async () => {
    await bot.printed('"msg":"ready"');

    expect(await connectStore(world)).toContain("Your store is connected");
    expect(messages(bot, 40)).toEqual([".env is open to other users of this machine; this closes it: chmod 600 .env"]);
  });

  const connected = () =>
    world.discord.waitFor(() => world.discord.gateway.shards().length > 0 || undefined, "the bot is back");

  test.each([
    ["is cut without a word", () => world.discord.gateway.drop()],
    ["is closed for now", () => world.discord.gateway.drop(4000)],
    ["is asked to be made again", () => world.discord.gateway.reconnect()],
    ["has a session that can be resumed", () => world.discord.gateway.invalidSession(true)],
    ["has a session that is over", () => world.discord.gateway.invalidSession(false)],
  ])("%s: the bot comes back and answers", async (_, fault) => {
    const ended = new Promise<void>((resolve) => {
      const off = world.discord.on("gateway", ({ what }) => {
        if (what !== "resumed" && what !== "identified") return;
        off();
        resolve();
      });
    });
    fault();
    await ended;
    await connected();

    expect(await answers(world)).toContain("### ✅ Settings");
  });
});

test("Discord is down at the start: the end is clean; when it comes up, the bot connects and answers", async () => {
  await using own = await createWorld();
  const silent = own.discord.fail({ path: /./, delayMs: 30_000 });
  const asked = new Promise((resolve) => own.discord.on("request", resolve));
  const waiting = own.launch();
  await asked;
  await expectCleanEnd(waiting);
  expect(waiting.output()).not.toContain('"msg":"ready"');
  silent();

  const up = own.discord.fail({ path: /./, drop: "before" });
  own.discord.gateway.refuse(true);
  const bot = own.launch();
  const { msg, reason } = JSON.parse(await bot.printed("trying again"));
  expect({ msg, reason }).toEqual({
    msg: "Discord cannot be reached; check this machine's network, DISCORD_API_URL if you set it, and https://discordstatus.com; trying again",
    reason: expect.stringMatching(/^[A-Z_]+$/),
  });
  expect(bot.output()).not.toContain('"stack"');
  up();
  own.discord.gateway.refuse(false);
  await bot.printed('"msg":"ready"');

  expect(await answers(own)).toContain("### ✅ Settings");
  expect((await bot.stop()).code).toBe(0);
});

// Each start is costly, so the three starts of one bot show both how commands are published and how a bot ends.
test("DISCORD_GUILD_ID publishes to that server only; commands that Discord refuses for all hold up nothing else. SIGTERM ends the bot cleanly: in the middle of a poll and a command while the store hangs, and with a locked database; the next start announces each order once; so does SIGHUP, when the terminal is closed", async () => {
  await using own = await createWorld();
  const { discord, store, guild } = own;
  const polling = await own.start({ DISCORD_GUILD_ID: guild.id });
  await connectStore(own);
  await setAlerts(own);
  await polling.printed('"msg":"ready"');
  expect(polling.output()).not.toContain("another process polls");
  expect(discord.requests.filter(isPut).map(({ path }) => path)).toEqual([
    `/applications/${discord.applicationId}/guilds/${guild.id}/commands`,
  ]);
  const other = { ...own, guild: discord.addGuild() };
  expect(() => run(other, "store settings")).toThrow("no command /store is published");
  const seen = store.requests.length;
  const goOn = store.fail({ delayMs: 60_000 });
  await run(own, "products").answer();
  const hang = (path: RegExp) => store.requests.slice(seen).some((request) => path.test(request.path));
  await store.waitFor(() => hang(/order/) && hang(/product/), "a poll and a look-up that hang");
  await expectCleanEnd(polling);
  goOn();

  const tooMany = { code: 30_034, message: "Max number of daily application command creates has been reached (200)" };
  discord.fail({ method: "GET", path: /\/commands$/, status: 200, body: [] });
  discord.fail({ method: "PUT", path: /\/commands$/, status: 400, body: tooMany });
  const order = store.placeOrder();
  const port = await freePort();
  const refused = await own.start({ HTTP_PORT: String(port) });
  await refused.printed('"msg":"ready"');
  await alertOf(own, order.id);
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  expect(await answers(own)).toContain("### ✅ Settings");
  expect(messages(refused, 50)).toEqual([expect.stringMatching(/^Discord refuses the commands: /)]);
  const locking = new DatabaseSync(own.database, { timeout: 5_000 });
  locking.exec("BEGIN EXCLUSIVE");
  const placed = store.placeOrders(3).map(({ id }) => id);
  // Each command stores the state behind its buttons.
  await Promise.all(["orders", "products", "orders"].map((name) => run(own, name).answer()));
  expect((await refused.stop()).code).toBe(0);

  locking.close();
  const last = await own.start();
  await allShown(own, placed);
  expect(timesShown(own, placed)).toEqual([1, 1, 1]);
  expect((await last.stop("SIGHUP")).code).toBe(0);
});
