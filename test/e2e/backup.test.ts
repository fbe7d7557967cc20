import { once } from "node:events";
import { watch } from "node:fs";
import { chown, copyFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyStamp, dataRecord } from "../../src/storage/data-record.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { textOf } from "../sandbox/discord/discord.ts";
import { operatorTool, runOperatorTool } from "../support/process/operator-tool.ts";
import { morePolls } from "../support/process/polls.ts";
import { allShown, timesShown } from "../support/process/shown-orders.ts";
import { type Bot, connectStore, createWorld, run, setAlerts, type World } from "../support/process/world.ts";
import { sized } from "../support/sized.ts";

/** Orders that arrive while the backup is made. */
const orders = sized(40, 1_000);
/** Number of orders between two polls. */
const wave = 20;

const tool = (name: "backup" | "restore" | "export" | "import", file: string, world: World) =>
  runOperatorTool(name, file, { directory: world.directory });

describe("a backup of a bot", () => {
  let world: World;
  let bot: Bot;
  beforeAll(async () => {
    world = await createWorld();
    bot = await world.start();
    await connectStore(world);
    await setAlerts(world);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const restore = (file = "backup.sqlite") => tool("restore", file, world);
  const filesIn = (folder: string) => readdir(join(world.directory, folder));

  test(`made while ${orders} orders arrive, a kill, a loss of the database and a restore lose and double no order`, {
    timeout: 120_000 + orders * 1_000,
  }, async () => {
    const { store } = world;
    const placed: string[] = [];
    const arrive = async (count: number) => {
      for (let left = count; left > 0; left -= wave) {
        placed.push(...store.placeOrders(Math.min(wave, left)).map(({ id }) => id));
        await morePolls(world, 1);
      }
    };

    await arrive(Math.round(orders * 0.3));
    const backup = tool("backup", "early.sqlite", world);
    await arrive(Math.round(orders * 0.4));
    expect(await backup).toMatchObject({ code: 0 });
    await bot.kill();
    await rm(world.database);
    expect((await stat(`${world.database}-wal`)).size).toBeGreaterThan(0);
    const restored = await restore("early.sqlite");
    expect(restored).toMatchObject({ code: 0, output: expect.stringContaining("is gone, and left a log behind") });
    const left = await filesIn("data");
    expect(left).not.toContain("shopbell.sqlite-wal");
    expect(left.filter((name) => /sqlite\.\d{4}-.*-wal$/.test(name))).toHaveLength(1);
    store.placeOrders(orders - placed.length).forEach(({ id }) => void placed.push(id));
    bot = await world.start();
    await allShown(world, placed, 60_000 + orders * 500);

    const later = store.placeOrder();
    await allShown(world, [later.id]);
    expect(timesShown(world, placed)).toEqual(placed.map(() => 1));
  });

  test("is complete, readable by its owner only, and reports that the key is not in it; a restore is refused while the bot runs", async () => {
    const made = await tool("backup", "backup.sqlite", world);
    const again = await tool("backup", "backup.sqlite", world);
    const running = await restore();

    expect(made).toMatchObject({ code: 0, output: expect.stringContaining("keep data/secret.key as well") });
    expect((await stat(join(world.directory, "backup.sqlite"))).mode & 0o777).toBe(0o600);
    expect(again).toMatchObject({ code: 1, output: expect.stringContaining("exists already") });
    expect(running).toMatchObject({ code: 1, output: expect.stringContaining("End the bot") });
    expect((await filesIn(".")).filter((name) => name.includes(".part"))).toEqual([]);
  });

  test("restores the settings of its time and keeps the replaced database; another file is refused", async () => {
    await setAlerts(world, { channel: world.guild.channel("staff") });
    await bot.stop();

    const key = await restore("data/secret.key");
    const restored = await restore();
    bot = await world.start();

    expect(key).toMatchObject({ code: 1, output: expect.stringContaining("no sound backup") });
    expect(restored).toMatchObject({ code: 0, output: expect.stringContaining("is kept as data/shopbell.sqlite.") });
    expect(textOf(await run(world, "alerts status").settled())).toContain(world.guild.channel("new-orders"));
    const names = await filesIn("data");
    expect(names.filter((name) => name.includes("restoring"))).toEqual([]);
    const asides = names.filter((name) => /^shopbell\.sqlite\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}$/.test(name));
    expect(asides).toHaveLength(1);
    await bot.stop();
  });

  test("that is a file copied by hand counts as a copy of unknown age", async () => {
    await copyFile(world.database, join(world.directory, "by-hand.sqlite"));

    expect((await restore("by-hand.sqlite")).output).toContain("of unknown age");
    const storage = await openStorage(`sqlite://${world.database}`, { warn: () => undefined });
    const stamp = await copyStamp.read(storage);
    await storage.close();
    expect(stamp).toEqual({ copiedAt: 0 });
  });

  test("is not put in place while a bot that has not reached Discord has the database open; that bot ends with a remedy and announces nothing if an import is cut short meanwhile", async () => {
    const up = world.discord.fail({ path: /./, drop: "before" });
    const waiting = world.launch();
    await waiting.printed("trying again");
    const refused = await restore();
    const storage = await openStorage(`sqlite://${world.database}`, { warn: () => undefined });
    await dataRecord.write(storage, { version: 1, shopbell: "0.1.0", importOf: "a file" });
    await storage.close();
    up();

    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("has data/shopbell.sqlite open") });
    expect(await waiting.exited).toBe(1);
    expect(JSON.parse(await waiting.printed('"level":60'))).toMatchObject({
      msg: expect.stringContaining("an import into this storage was cut short"),
    });
    expect(waiting.output()).not.toContain("this process sends the alerts");
  });

  test("is not put in place while another restore is under way, and nothing is changed", async () => {
    const other = `${world.database}.restoring`;
    await writeFile(other, "");
    const before = await stat(world.database);

    const refused = await restore();
    const after = await stat(world.database);
    const isLeftAlone = (await stat(other)).size === 0;
    await rm(other);
    const together = await Promise.all([restore(), restore()]);

    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("Another restore may be under way") });
    expect([after.ino, after.mtimeMs, isLeftAlone]).toEqual([before.ino, before.mtimeMs, true]);
    expect(together.map(({ code }) => code)).toContain(0);
    for (const { output } of together) expect(output).not.toContain("ENOENT");
  });

  test("leaves no part of its file after a signal; is not put in place while another program locks the database, and replaces a damaged one", async () => {
    const locking = new DatabaseSync(world.database);
    locking.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    // The backup waits until the database is no longer locked.
    const began = watch(world.directory);
    const { child, ended } = operatorTool("backup", "other.sqlite", { directory: world.directory });
    await once(began, "change");
    began.close();
    child.kill("SIGTERM");
    const [stopped, locked] = await Promise.all([ended, restore()]);
    locking.close();
    await writeFile(world.database, "no database");
    const damaged = await restore();

    expect(stopped).toMatchObject({ code: 143 });
    expect((await filesIn(".")).filter((file) => file.startsWith("other"))).toEqual([]);
    expect(locked).toMatchObject({ code: 1, output: expect.stringMatching(/locked.*Nothing was changed/) });
    expect(damaged).toMatchObject({ code: 0, output: expect.stringContaining("cannot be read") });
  });

  test("has the owner of the database that it replaces, or the owner of the directory if there is no database", async () => {
    // Only root can give a file to another user.
    const uid = process.getuid?.() === 0 ? 12_345 : (process.getuid?.() ?? 0);
    await chown(world.database, uid, process.getgid?.() ?? 0);
    const replaced = await restore();
    const owner = await stat(world.database);
    await rm(world.database);
    await chown(join(world.directory, "data"), uid, process.getgid?.() ?? 0);
    const made = await restore();
    const ofDirectory = await stat(world.database);
    await rm(join(world.directory, "data"), { recursive: true });
    const onLostDisk = await restore();

    expect([replaced.code, made.code]).toEqual([0, 0]);
    expect([owner.uid, ofDirectory.uid]).toEqual([uid, uid]);
    expect(onLostDisk).toMatchObject({
      code: 0,
      output: expect.stringContaining("data/shopbell.sqlite is the backup"),
    });
    expect((await stat(join(world.directory, "data"))).mode & 0o777).toBe(0o700);
  });
});

test("a tool explains how it is used, checks the file's name before anything else, and makes no file in a directory without a database", async () => {
  await using world = await createWorld();
  const { directory } = world;
  const wrong = { directory, environment: { STORAGE_URL: "wrong" } };
  const [asked, unnamed, unmade, unread, ...refused] = await Promise.all([
    tool("import", "--help", world),
    // A variable of a script that is not set.
    runOperatorTool("backup", "", wrong),
    runOperatorTool("export", "nowhere/file", wrong),
    runOperatorTool("restore", "nowhere/file", wrong),
    tool("backup", "file", world),
    tool("export", "file", world),
  ]);

  expect(asked).toMatchObject({ code: 0, output: expect.stringContaining("npm run import -- FILE") });
  expect(unnamed).toMatchObject({ code: 1, output: expect.stringMatching(/^Usage: npm run backup -- FILE\n/) });
  expect(unmade).toMatchObject({ code: 1, output: expect.stringMatching(/^There is no directory nowhere.*\n$/) });
  expect(unread).toMatchObject({ code: 1, output: expect.stringMatching(/^There is no file nowhere.*\n$/) });
  const output = "There is no database at data/shopbell.sqlite. Run this in the bot's directory.\n";
  expect(refused).toEqual([
    { code: 1, output },
    { code: 1, output },
  ]);
  expect(await readdir(directory)).toEqual([]);
});
