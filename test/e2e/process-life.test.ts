import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { listenAsSystemd, notifyInstalled } from "../support/notify-socket.ts";
import { connectStore, createWorld, setAlerts } from "../support/world.ts";

const preload = pathToFileURL(join(import.meta.dirname, "../support/faults-on-signal.js"));
const withFault = (fault: string) => ({ NODE_OPTIONS: `--import=${preload}`, FAULT: fault });

describe("an error that nobody caught", () => {
  test.each(["throw", "reject"])(
    "(%s) ends the process with code 1 and a line, and the next one goes on",
    async (fault) => {
      await using world = await createWorld();
      const bot = await world.start(withFault(fault));
      await connectStore(world);
      await setAlerts(world);

      bot.signal("SIGUSR2");

      expect(await bot.exited).toBe(1);
      const line = await bot.printed("an error that nobody caught ends the process");
      expect(JSON.parse(line)).toMatchObject({ level: 60, err: { message: "a planted fault" } });
      const order = world.store.placeOrder();
      await world.start();
      const place = world.guild.channel("new-orders");
      const alerts = () => world.discord.messages(place).filter((message) => textOf(message).includes(order.id));
      await world.discord.waitFor(() => alerts()[0], "the alert");
      expect(alerts()).toHaveLength(1);
    },
  );

  test("beside a SIGTERM makes the exit code 1 all the same", async () => {
    await using world = await createWorld();
    const bot = await world.start(withFault("throwAfterSigterm"));

    bot.signal("SIGUSR2");

    expect(await bot.exited).toBe(1);
  });
});

test.skipIf(!notifyInstalled)(
  "systemd (apt-get install systemd python3) hears that the bot is ready, lives and ends",
  async () => {
    await using world = await createWorld();
    const socket = join(world.directory, "notify");
    using systemd = await listenAsSystemd(socket);
    const bot = await world.start({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: "1000000" });

    await expect.poll(() => systemd.told.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(3);
    const { code } = await bot.stop();

    expect(code).toBe(0);
    await expect.poll(() => systemd.told.at(-1)).toBe("STOPPING=1");
    expect(systemd.told.slice(0, 2)).toEqual(["READY=1", "WATCHDOG=1"]);
  },
);
