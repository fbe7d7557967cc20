import type { Health } from "../basics/health.ts";
import type { Log } from "../basics/log.ts";
import { type Metrics, noMetrics } from "../basics/metrics.ts";
import { startHangWatch } from "./hang-watch.ts";
import { startHealthServer } from "./health-server.ts";
import { ListenError } from "./listen.ts";
import { createServiceManager, type ServiceManagerSettings } from "./service-manager.ts";
import type { Shutdown } from "./shutdown.ts";
import { createWatchdog } from "./watchdog.ts";

/** Those who watch the process: an operator over HTTP, systemd, and the watchdog. */
export interface Monitoring {
  /** Counts for `GET /metrics`, and nothing where there is no HTTP. */
  readonly metrics: Metrics;
  /** This part is asked how it is, from now on. */
  add(health: Health): void;
  /** What a start may do for long is done: from now on an event loop that hangs ends the process. */
  begin(): void;
  /** The process does all of its work. */
  ready(): void;
}

const listenAgainMs = 60_000;

/** Alerts matter more than figures: where nothing can listen there, that is told once, and tried again while the bot works. */
async function keepListening(
  { log, shutdown }: { readonly log: Log; readonly shutdown: Shutdown },
  begin: () => Promise<{ close(): void }>,
): Promise<void> {
  let server: { close(): void } | undefined;
  let again: NodeJS.Timeout | undefined;
  let isTold = false;

  async function attempt() {
    try {
      server = await begin();
      if (isTold) log.info({}, "health and metrics are served now");
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      again = setTimeout(() => void attempt(), listenAgainMs).unref();
      if (isTold) return;
      isTold = true;
      log.error(
        { err: error },
        `health and metrics are not served, which is tried again each minute: ${error.message}`,
      );
    }
  }

  shutdown.add("health and metrics", () => {
    clearTimeout(again);
    server?.close();
  });
  await attempt();
}

/**
 * @param http none: no server, and nothing is counted
 * @param onSilent a part of the process is dead, and will not recover by itself
 */
export async function startMonitoring(deps: {
  readonly http: { readonly host: string; readonly port: number } | undefined;
  readonly serviceManager: ServiceManagerSettings | undefined;
  readonly version: string;
  readonly log: Log;
  readonly shutdown: Shutdown;
  onSilent(name: string, silentMs: number): void;
}): Promise<Monitoring> {
  const { http, version, log, shutdown, onSilent } = deps;
  const parts: Health[] = [];
  let isStarting = true;
  const notReady = () => [
    ...(shutdown.signal.aborted ? ["ending"] : isStarting ? ["starting"] : []),
    ...parts.flatMap((part) => part.notReady() ?? []),
  ];

  const manager = deps.serviceManager && createServiceManager(deps.serviceManager, log);
  if (manager) {
    shutdown.add("service manager", () => manager.end());
    shutdown.signal.addEventListener("abort", () => manager.stopping());
  }
  let metrics = noMetrics;
  if (http) {
    const { createPrometheus } = await import("./prometheus.ts");
    const prometheus = createPrometheus({ version, isReady: () => notReady().length === 0 });
    metrics = prometheus.metrics;
    const { text, contentType } = prometheus;
    const served = { ...http, log, notReady, metrics: text, metricsType: contentType };
    await keepListening(deps, () => startHealthServer(served));
  }
  const watchdog = createWatchdog({ heartbeats: () => parts.flatMap((part) => part.heartbeats()), onSilent });
  shutdown.signal.addEventListener("abort", () => watchdog.stop());

  return {
    metrics,
    add: (health) => void parts.push(health),
    begin() {
      startHangWatch(log);
      watchdog.start();
    },
    ready() {
      isStarting = false;
      manager?.ready();
    },
  };
}
