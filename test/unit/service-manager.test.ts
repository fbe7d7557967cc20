import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectServiceManager } from "../../src/operations/service-manager.ts";
import { createShutdown } from "../../src/operations/shutdown.ts";
import { listenAsSystemd, notifyInstalled } from "../support/notify-socket.ts";

let directory: string;
let warnings: string[];

const nothing = () => undefined;
const log = {
  debug: nothing,
  info: nothing,
  error: nothing,
  warn: (_: object, message: string) => void warnings.push(message),
};

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "shopbell-notify-"));
  warnings = [];
});

afterEach(() => rm(directory, { recursive: true }));

test.skipIf(!notifyInstalled).each([
  ["a path", () => join(directory, "notify")],
  ["an abstract name", () => `@shopbell-test-${process.pid}`],
])("systemd (apt-get install systemd python3) hears by %s when it is ready, lives and ends", async (_, name) => {
  const socket = name();
  using systemd = await listenAsSystemd(socket);
  const shutdown = createShutdown(log);
  const reportReady = connectServiceManager({ socket, watchdogMs: 300 }, { log, shutdown });

  reportReady();
  await expect.poll(() => systemd.told.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
  expect(await shutdown.run()).toBe(0);

  await expect.poll(() => systemd.told.at(-1)).toBe("STOPPING=1");
  expect(systemd.told[0]).toBe("READY=1");
  expect(new Set(systemd.told.slice(1, -1))).toEqual(new Set(["WATCHDOG=1"]));
  expect(warnings).toEqual([]);
});

test("a systemd that cannot be told is one line in the log, and nothing else", async () => {
  const shutdown = createShutdown(log);
  connectServiceManager({ socket: join(directory, "nobody"), watchdogMs: undefined }, { log, shutdown })();

  expect(await shutdown.run()).toBe(0);

  expect(warnings).toEqual([expect.stringContaining("NotifyAccess=all")]);
});
