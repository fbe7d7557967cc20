import type { Health } from "../basics/health.ts";
import type { Log } from "../basics/log.ts";
import { noMetrics } from "../basics/metrics.ts";
import { type HealthServerOptions, startHealthServer } from "./health-server.ts";
import { ListenError } from "./listen.ts";
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

const listenAgainMs = 60_000;

async function serveHealth(options: HealthServerOptions, { log, shutdown }: MonitoringDeps): Promise<void> {
  let server: { close(): void } | undefined;
  let again: NodeJS.Timeout | undefined;

  async function attempt(isFirst: boolean) {
    try {
      server = await startHealthServer(options);
      if (!isFirst) log.info({}, "health and metrics are served now");
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      again = setTimeout(() => void attempt(false), listenAgainMs).unref();
      const message = `health and metrics are not served; trying again every minute: ${error.message}`;
      if (isFirst) log.error({ err: error }, message);
    }
  }

  shutdown.add({
    "health and metrics": () => {
      clearTimeout(again);
      server?.close();
    },
  });
  await attempt(true);
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
    await serveHealth({ ...http, ...prometheus, notReady, log }, deps);
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
