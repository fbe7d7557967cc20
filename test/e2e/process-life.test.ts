import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { listenAsSystemd, notifyInstalled } from "../support/notify-socket.ts";
import { allShown, timesShown } from "../support/shown-orders.ts";
import { connectStore, createWorld, setAlerts } from "../support/world.ts";

const preload = pathToFileURL(join(import.meta.dirname, "../support/faults-on-signal.js"));
const withFault = (fault: string) => ({ NODE_OPTIONS: `--import=${preload}`, FAULT: fault });

test("an uncaught error or rejection ends the process with code 1 and one line, also after a SIGTERM, and the next process continues", async () => {
  await using world = await createWorld();
  const placed: string[] = [];
  for (const fault of ["throw", "reject", "throwAfterSigterm"]) {
    const bot = await world.start(withFault(fault));
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
  await world.start();
  await allShown(world, placed);
  expect(timesShown(world, placed)).toEqual(placed.map(() => 1));
});

test.skipIf(!notifyInstalled)(
  "systemd (apt-get install systemd python3) hears that the bot is ready, lives and ends",
  async () => {
    await using world = await createWorld();
    const socket = join(world.directory, "notify");
    using systemd = await listenAsSystemd(socket);
    const bot = await world.start({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: "1000000" });

    await expect.poll(() => systemd.told.length).toBeGreaterThanOrEqual(3);
    const { code } = await bot.stop();

    expect(code).toBe(0);
    await expect.poll(() => systemd.told.at(-1)).toBe("STOPPING=1");
    expect(systemd.told.slice(0, 2)).toEqual(["READY=1", "WATCHDOG=1"]);
  },
);
