import type { Health } from "../basics/health.ts";
import type { Log } from "../basics/log.ts";
import { noMetrics } from "../basics/metrics.ts";
import { serveHealth } from "./health-server.ts";
import type { Shutdown } from "./shutdown.ts";
import { connectSystemd, type SystemdSettings } from "./systemd.ts";
import { startWatchdog } from "./watchdog.ts";

export type Monitoring = Awaited<ReturnType<typeof startMonitoring>>;

interface MonitoringDeps {
  /** Without an address there is no HTTP server, and nothing is counted. */
  readonly http: { readonly host: string; readonly port: number } | undefined;
  readonly systemd: SystemdSettings | undefined;
  readonly log: Log;
  readonly shutdown: Shutdown;
  /** Called once, when a part of the process has shown no sign of life for too long. */
  onSilent(name: string, silentMs: number): void;
}

/** Starts the watchdog and, if the settings have them, the health server and the reports to systemd. */
export async function startMonitoring(deps: MonitoringDeps) {
  const { http, systemd, log, shutdown, onSilent } = deps;
  const parts: Health[] = [];
  let isStarting = true;
  const notReady = () => [
    ...(shutdown.signal.aborted ? ["ending"] : isStarting ? ["starting"] : []),
    ...parts.flatMap((part) => part.notReady() ?? []),
  ];
  const reportReady = systemd && connectSystemd(systemd, deps);
  let metrics = noMetrics;
  if (http) {
    const { createPrometheus } = await import("./prometheus.ts");
    const prometheus = createPrometheus(() => notReady().length === 0);
    metrics = prometheus.metrics;
    await serveHealth({ ...http, ...prometheus, notReady, log }, log, shutdown);
  }
  const stopWatchdog = startWatchdog(() => parts.flatMap((part) => part.heartbeats()), onSilent);
  shutdown.signal.addEventListener("abort", stopWatchdog);

  return {
    metrics,
    add: (health: Health) => void parts.push(health),
    /** To be called when the process does all of its work. */
    ready(): void {
      isStarting = false;
      reportReady?.();
    },
  };
}
