import { expect, test } from "vitest";
import { connectServiceManager } from "../../src/operations/service-manager.ts";
import { createShutdown } from "../../src/operations/shutdown.ts";

test("a systemd that cannot be told is one line in the log, and nothing else", async () => {
  const warnings: string[] = [];
  const nothing = () => undefined;
  const warn = (_: object, message: string) => void warnings.push(message);
  const log = { debug: nothing, info: nothing, warn, error: nothing };
  const shutdown = createShutdown(log);
  connectServiceManager({ socket: "/nobody/notify", watchdogMs: undefined }, { log, shutdown })();

  expect(await shutdown.run()).toBe(0);

  expect(warnings).toEqual([expect.stringContaining("NotifyAccess=all")]);
});
