import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allShown, timesShown } from "../support/process/shown-orders.ts";
import { type Bot, connectStore, createWorld, run, setAlerts, type World } from "../support/process/world.ts";

const support = join(import.meta.dirname, "../support/process");
const preload = pathToFileURL(join(support, "faults-on-signal.js"));
const withFault = (fault: string) => ({ NODE_OPTIONS: `--import=${preload}`, FAULT: fault });

let world: World;
let bot: Bot;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

test("an uncaught rejection ends the process with code 1 and one line, so does an error after a SIGTERM, and the next process continues", async () => {
  const placed: string[] = [];
  for (const fault of ["reject", "throwAfterSigterm"]) {
    bot = await world.start(withFault(fault));
    if (placed.length === 0) {
      await connectStore(world);
      await setAlerts(world);
    }
    await allShown(world, placed);

    bot.signal("SIGUSR2");

    expect(await bot.exited, fault).toBe(1);
    const line = await bot.printed("an uncaught error ends the process");
    expect(JSON.parse(line)).toMatchObject({ level: 60, err: { message: "a planted fault" } });
    placed.push(world.store.placeOrder().id);
  }
  bot = await world.start();
  await allShown(world, placed);
  expect(timesShown(world, placed)).toEqual(placed.map(() => 1));
});

test("the storage is closed at the end, although Discord hangs while a person waits (before: 5 s were over before that)", async () => {
  const asked = world.discord.requests.length;
  const answersAgain = world.discord.fail({ path: /./, delayMs: 60_000 });
  run(world, "orders");
  await world.discord.waitFor(() => world.discord.requests.length > asked, "an answer to the person");

  const { code } = await bot.stop();
  answersAgain();

  expect(code).toBe(0);
  // SQLite removes this file when the database is closed.
  expect(existsSync(`${world.database}-wal`)).toBe(false);
});

const isInstalled = (program: string) => spawnSync(program, ["--version"]).status === 0;

/** Stands for systemd: listens where `NOTIFY_SOCKET` points. Node has no sockets of that kind. */
async function listenAsSystemd(path: string): Promise<{ readonly told: readonly string[] } & Disposable> {
  const child = spawn("python3", [join(support, "notify-socket.py"), path]);
  const told: string[] = [];
  const lines = createInterface({ input: child.stdout });
  await once(lines, "line");
  // `systemd-notify` sends a barrier to learn that the rest was read.
  lines.on("line", (line) => line !== "" && line !== "BARRIER=1" && told.push(line));
  return { told, [Symbol.dispose]: () => void child.kill() };
}

test.skipIf(!["systemd-notify", "python3"].every(isInstalled))(
  "systemd (apt-get install systemd python3) hears that the bot is ready, lives and ends",
  async () => {
    const socket = join(world.directory, "notify");
    using systemd = await listenAsSystemd(socket);
    bot = await world.start({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: "1000000" });

    await expect.poll(() => systemd.told.length).toBeGreaterThanOrEqual(3);
    const { code } = await bot.stop();

    expect(code).toBe(0);
    await expect.poll(() => systemd.told.at(-1)).toBe("STOPPING=1");
    expect(systemd.told.slice(0, 2)).toEqual(["READY=1", "WATCHDOG=1"]);
  },
);
