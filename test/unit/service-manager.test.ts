import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createServiceManager } from "../../src/operations/service-manager.ts";
import { listenAsSystemd, notifyInstalled } from "../support/notify-socket.ts";

let directory: string;
let warnings: string[];

const log = { warn: (_: object, message: string) => void warnings.push(message) };

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "shopbell-notify-"));
  warnings = [];
});

afterEach(() => rm(directory, { recursive: true }));

describe.skipIf(!notifyInstalled)(
  "systemd (apt-get install systemd python3) hears when it is ready, lives and ends",
  () => {
    test.each([
      ["a path", () => join(directory, "notify")],
      ["an abstract name", () => `@shopbell-test-${process.pid}`],
    ])("by %s", async (_, name) => {
      const socket = name();
      using systemd = await listenAsSystemd(socket);
      const manager = createServiceManager({ socket, watchdogMs: 300 }, log);

      manager.ready();
      await expect.poll(() => systemd.told.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
      manager.stopping();
      await manager.end();

      await expect.poll(() => systemd.told.at(-1)).toBe("STOPPING=1");
      expect(systemd.told[0]).toBe("READY=1");
      expect(new Set(systemd.told.slice(1, -1))).toEqual(new Set(["WATCHDOG=1"]));
      expect(warnings).toEqual([]);
    });
  },
);

test("a systemd that cannot be told is one line in the log, and nothing else", async () => {
  const manager = createServiceManager({ socket: join(directory, "nobody"), watchdogMs: undefined }, log);

  manager.ready();
  manager.stopping();
  await manager.end();

  expect(warnings).toEqual([expect.stringContaining("NotifyAccess=all")]);
});
