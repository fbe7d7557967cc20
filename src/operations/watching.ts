import type { Log } from "../basics/log.ts";
import { type Metrics, noMetrics } from "../basics/metrics.ts";
import type { Vitals } from "../basics/vitals.ts";
import { startHangWatch } from "./hang-watch.ts";
import { startHealthServer } from "./health-server.ts";
import { createServiceManager, type ServiceManagerSettings } from "./service-manager.ts";
import type { Shutdown } from "./shutdown.ts";
import { createWatchdog } from "./watchdog.ts";

/** Those who watch the process: an operator over HTTP, systemd, and the watchdog. */
export interface Watching {
  /** Counts for `GET /metrics`, and nothing where there is no HTTP. */
  readonly metrics: Metrics;
  /** This part is asked how it is, from now on. */
  add(vitals: Vitals): void;
  /** What a start may do for long is done: from now on an event loop that hangs ends the process. */
  begin(): void;
  /** The process does all of its work. */
  ready(): void;
}

/**
 * @param http none: no server, and nothing is counted
 * @param onSilent a part of the process is dead, and will not recover by itself
 * @throws ListenError
 */
export async function startWatching(deps: {
  readonly http: { readonly host: string; readonly port: number } | undefined;
  readonly serviceManager: ServiceManagerSettings | undefined;
  readonly version: string;
  readonly log: Log;
  readonly shutdown: Shutdown;
  onSilent(name: string, silentMs: number): void;
}): Promise<Watching> {
  const { http, version, log, shutdown, onSilent } = deps;
  const parts: Vitals[] = [];
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
    const server = await startHealthServer({ ...http, log, notReady, metrics: text, metricsType: contentType });
    shutdown.add("health and metrics", () => server.close());
  }
  const watchdog = createWatchdog({ pulses: () => parts.flatMap((part) => part.pulses()), onSilent });
  shutdown.signal.addEventListener("abort", () => watchdog.stop());

  return {
    metrics,
    add: (vitals) => void parts.push(vitals),
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
