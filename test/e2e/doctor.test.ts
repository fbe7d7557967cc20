import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createGuilds } from "../../src/guilds/guilds.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { dataVersion } from "../../src/storage/prepare-data.ts";
import { morePolls } from "../support/process/polls.ts";
import { type Bot, connectStore, createWorld, setAlerts, type World } from "../support/process/world.ts";
import { whenLong } from "../support/sized.ts";
import { stored } from "../support/stored.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const findingSchema = z.object({
  check: z.string(),
  state: z.enum(["ok", "warn", "wrong", "skipped"]),
  says: z.string(),
  remedy: z.string().optional(),
  server: z.string().optional(),
});
const reportSchema = z.object({ ok: z.boolean(), findings: z.array(findingSchema) });

async function look(world: World, environment: Environment = {}, args: readonly string[] = []) {
  const program = world.launch(environment, ["doctor", ...args]);
  const code = await program.exited;
  return { code, output: program.output() };
}

async function report(world: World, environment: Environment = {}) {
  const { code, output } = await look(world, environment, ["--json"]);
  const { ok, findings } = reportSchema.parse(JSON.parse(output));
  const of = (check: string) => findings.filter((finding) => finding.check === check);
  return { code, ok, findings, of, states: findings.map(({ check, state }) => `${check} ${state}`) };
}

/** By path. */
async function filesOf({ directory }: World): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hashes = files.map(async (file) => [
    file,
    createHash("sha256")
      .update(await readFile(file))
      .digest("hex"),
  ]);
  return Object.fromEntries(await Promise.all(hashes));
}

const writesOf = ({ discord }: World) => discord.requests.filter(({ method }) => method !== "GET").length;

describe("with a bot that has posted an alert", () => {
  let world: World;
  let bot: Bot;
  const alerts = () => world.discord.messages(world.guild.channel("new-orders")).length;

  beforeAll(async () => {
    world = await createWorld();
    bot = await world.start();
    await connectStore(world);
    await setAlerts(world);
    world.store.placeOrder();
    await bot.printed('"msg":"alerts posted"');
    await morePolls(world, 3);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("while it runs, all is well, and neither Discord nor the store is asked to change anything", async () => {
    const [writes, asked] = [writesOf(world), world.store.requests.length];

    const { code, ok, states, of } = await report(world);

    const checks = [
      "Node",
      "Settings",
      "Storage",
      "Keys",
      "Bot",
      "Discord",
      "Gateway",
      "Commands",
      "Store",
      "Clock",
      "Server",
    ];
    expect(states).toEqual(checks.map((check) => `${check} ok`));
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(of("Server")[0]?.says).toMatch(/token is accepted.*posted in channel \d+; last alert \d+ s ago/);
    expect(of("Storage")[0]?.says).toContain(`data of version ${dataVersion}`);
    expect(writesOf(world)).toBe(writes);
    expect(world.store.requests.slice(asked).filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("after it was killed, no byte of its data changes; a token that Discord does not know is one error, and the checks that need the token are skipped", async () => {
    // Killed during its work, so that the write-ahead log is not empty.
    const before = alerts();
    world.store.placeOrders(3);
    await world.discord.waitFor(() => alerts() > before || undefined, "the next alert");
    await bot.kill();
    expect((await stat(`${world.database}-wal`)).size).toBeGreaterThan(0);
    const [files, writes] = [await filesOf(world), writesOf(world)];

    const { code, of } = await report(world, { DISCORD_TOKEN: "not.the.token" });

    expect(code).toBe(1);
    expect(of("Bot")).toMatchObject([{ state: "warn" }]);
    expect(of("Discord")).toMatchObject([{ state: "wrong", remedy: expect.stringContaining("DISCORD_TOKEN") }]);
    const says = "Gateway, Commands, channels of servers (Discord gave no bot to the token)";
    expect(of("Skipped")).toMatchObject([{ state: "skipped", says }]);
    expect(of("Server")).toMatchObject([{ state: "ok", says: expect.stringContaining("last alert") }]);
    expect(await filesOf(world)).toEqual(files);
    expect(writesOf(world)).toBe(writes);
  });

  test("a store that is down, a lost key, a closed channel and commands that went missing are each reported with a remedy", async () => {
    const end = world.discord.fail({ method: "GET", path: /\/commands$/, status: 200, body: [] });
    world.discord.setBotPermissions(world.guild.channel("new-orders"), { deny: 1n << 11n });
    await world.store.down();

    const { code, of } = await report(world, { SECRET_KEYS: randomBytes(32).toString("base64") });
    await world.store.up();
    world.discord.setBotPermissions(world.guild.channel("new-orders"), {});
    end();

    expect(code).toBe(1);
    expect(of("Commands")[0]).toMatchObject({ state: "wrong", says: expect.stringContaining("/store, /alerts") });
    expect(of("Store")[0]).toMatchObject({ state: "wrong", says: expect.stringContaining("ECONNREFUSED") });
    const { id } = world.guild;
    expect(of("Keys")[0]).toMatchObject({ state: "wrong", says: expect.stringMatching(`1 of 1 servers: ${id}`) });
    expect(of("Server").filter(({ state }) => state === "wrong")).toMatchObject([
      { says: expect.stringContaining("lacks Send Messages"), server: id },
    ]);
  });
});

test.concurrent("before the first start the doctor creates no file, and missing data is no error; a wrong setting is a line with its remedy, and an unknown argument is refused", async () => {
  await using world = await createWorld();
  const [{ code, output }, wrong, unknown] = await Promise.all([
    look(world),
    look(world, { STORE_API_URL: "", DISCORD_API_URL: "discord.com" }),
    look(world, {}, ["--all"]),
  ]);
  expect([code, wrong.code, unknown.code]).toEqual([0, 1, 2]);
  const address = "✗ Settings DISCORD_API_URL is not a usable address\n           → a good value looks like https://";
  expect(wrong.output).toContain(address);
  expect(wrong.output).toContain("✗ Settings STORE_API_URL is missing");
  expect(wrong.output).toContain("- Skipped  all else (the settings are wrong)\n\n2 things are wrong, ");
  expect(wrong.output).not.toContain("\u001b");
  expect(unknown.output).toContain("--json");
  expect(output).toContain("! Storage  data/shopbell.sqlite is not there yet; the first start makes it");
  expect(output).toContain("! Commands none are published yet");
  expect(output).toContain("- Skipped  Keys, Bot, Server (nothing is read from the storage)");
  expect(output).toContain("Nothing is wrong, 2 warnings, not everything was checked.");
  expect(await readdir(world.directory)).toEqual([]);
});

test.concurrent("each of many servers has its line, also one that removed the bot, one whose token is refused, and one with an unreadable record", async () => {
  await using world = await createWorld();
  const keys = randomBytes(32);
  const guilds = [world.guild, ...Array.from({ length: 6 }, () => world.discord.addGuild())];
  const storage = await openStorage(`sqlite://${world.database}`, { warn() {} });
  const kept = createGuilds({ storage, vault: createVault([keys]) });
  const [left, refused, broken] = [guilds[1]?.id ?? "", guilds[2]?.id ?? "", guilds[6]?.id ?? ""];
  for (const { id } of guilds) await kept.connect(id, id === refused ? "no-token-of-the-store" : world.store.token);
  await storage.table(stored("guilds")).set(broken, { id: broken, settings: "none" });
  await storage.close();
  world.discord.removeGuild(left);

  const { code, of } = await report(world, { SECRET_KEYS: keys.toString("base64") });

  expect(code).toBe(1);
  const lines = of("Server").flatMap(({ server, state }) => (state === "wrong" ? [] : `${server} ${state}`));
  const expected = guilds.slice(0, 6).map(({ id }) => `${id} ${id === left ? "warn" : "ok"}`);
  expect(lines.sort()).toEqual(expected.sort());
  expect(of("Server").filter(({ state }) => state === "wrong")).toMatchObject([
    { says: "the store refuses its API token", server: refused, remedy: expect.stringContaining("connect") },
  ]);
  expect(of("Keys").filter(({ state }) => state === "wrong")).toMatchObject([{ server: broken }]);
});

whenLong(() => {
  test.concurrent("a Discord that never answers costs ten seconds, and the rest is checked all the same", async () => {
    await using world = await createWorld();
    world.discord.fail({ path: /./, delayMs: 60_000 });
    const { code, of } = await report(world);
    expect(code).toBe(1);
    expect(of("Discord")[0]).toMatchObject({ state: "wrong", says: "no answer within 10 s" });
    expect(of("Store")[0]?.state).toBe("ok");
  });
});
