import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { startMonitoring } from "../../../src/operations/monitoring.ts";
import { createShutdown } from "../../../src/operations/shutdown.ts";
import { connectSystemd } from "../../../src/operations/systemd.ts";
import { listen } from "../../sandbox/listen.ts";
import { recordedLog } from "../../support/recorded-log.ts";

afterEach(() => void vi.useRealTimers());

test("a port that is in use is tried again each minute, and both are told once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const neighbour = createServer();
  const port = Number((await listen(neighbour)).split(":")[1]);
  const { log, said } = recordedLog();
  const shutdown = createShutdown(log);
  const http = { host: "127.0.0.1", port };

  await startMonitoring({ http, systemd: undefined, log, shutdown, onSilent: () => undefined });
  vi.advanceTimersByTime(60_000);
  neighbour.close();
  await once(neighbour, "close");
  const health = () => {
    vi.advanceTimersByTime(60_000);
    return fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => status,
      () => undefined,
    );
  };

  await expect.poll(health).toBe(200);
  expect(said()).toEqual([
    expect.stringMatching(/^health and metrics are not served; trying again every minute: HTTP_PORT/),
    "health and metrics are served now",
  ]);
  await shutdown.run();
});

test("a systemd that cannot be told is one line in the log, and nothing else", async () => {
  const { log, said } = recordedLog();
  const shutdown = createShutdown(log);
  connectSystemd({ socket: "/nobody/notify", watchdogMs: undefined }, { log, shutdown })();
  expect(await shutdown.run()).toBe(0);
  expect(said()).toEqual([expect.stringContaining("NotifyAccess=all")]);
});
