import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Metrics } from "../basics/metrics.ts";
import { shopbellVersion } from "../basics/shopbell-version.ts";

/** Only stalls of 0.1 s or more matter. */
const eventLoopPrecisionMs = 100;
/** prom-client's gauges with these names are removed, because only a counter's name may end in `_total`. */
const misnamed = ["handles", "requests", "resources"].map((what) => `nodejs_active_${what}_total`);
/** In seconds. A poll usually makes a few calls to the store, and each call takes at most 20 s. */
const pollBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
/** In seconds. The last bucket is for an outage of Discord or the store that lasts a day. */
const lagBuckets = [0.25, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 900, 3_600, 21_600, 86_400];
/** In seconds: from the time between two requests at 50 a second to the longest rate limit for which the client waits. */
const waitBuckets = [0.02, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30];

/** 429 is separate, because it is only a reason to wait, and not an error. */
function statusClass(status: number | undefined): string {
  if (status === undefined) return "none";
  return status === 429 ? "429" : `${Math.floor(status / 100)}xx`;
}

function createInstruments(registers: [Registry]) {
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
    new Histogram({ name, help, buckets, labelNames, registers });

  return {
    info: gauge("shopbell_build_info", "1; the labels say which version runs", ["version", "node"]),
    ready: gauge("shopbell_ready", "1 while GET /readyz answers 200"),
    polls: histogram("shopbell_poll_duration_seconds", "Polls of one server", pollBuckets, ["outcome"]),
    fromCreated: histogram("shopbell_alert_lag_from_created_seconds", "From order made to alert posted", lagBuckets),
    fromSeen: histogram("shopbell_alert_lag_from_seen_seconds", "From order found to alert posted", lagBuckets),
    owed: gauge("shopbell_alerts_owed", "Orders that were found and whose alert is not posted yet"),
    posted: counter("shopbell_alerts_posted_total", "Orders whose alert was posted"),
    edited: counter("shopbell_alerts_edited_total", "Messages with alerts that were brought up to date"),
    store: counter("shopbell_store_requests_total", "Requests to the store", ["priority", "outcome"]),
    storage: counter("shopbell_storage_operations_total", "Operations of the storage", ["operation", "outcome"]),
    discord: counter("shopbell_discord_requests_total", "Requests to Discord", ["method", "route", "status"]),
    waits: histogram("shopbell_discord_rate_limit_wait_seconds", "Waits for Discord's rate limits", waitBuckets),
    connected: gauge("shopbell_gateway_connected", "1 while the shard is connected to the gateway", ["shard"]),
  };
}

/** @param isReady called at each scrape */
export function createPrometheus(isReady: () => boolean) {
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: eventLoopPrecisionMs });
  for (const name of misnamed) register.removeSingleMetric(name);
  const { info, ready, polls, fromCreated, fromSeen, owed, posted, edited, ...requests } = createInstruments([
    register,
  ]);
  const { store, storage, discord, waits, connected } = requests;
  info.set({ version: shopbellVersion, node: process.version }, 1);
  let countOwed = () => 0;

  const metrics: Metrics = {
    poll: (outcome, ms) => polls.observe({ outcome }, ms / 1_000),
    alertPosted(lag) {
      posted.inc();
      if (lag === undefined) return;
      const { sinceCreatedMs, sinceSeenMs } = lag;
      // A lag is negative if the store's clock is ahead, or if this machine's clock was set back.
      if (sinceCreatedMs !== undefined) fromCreated.observe(Math.max(sinceCreatedMs, 0) / 1_000);
      fromSeen.observe(Math.max(sinceSeenMs, 0) / 1_000);
    },
    alertEdited: () => edited.inc(),
    alertsOwed(count) {
      countOwed = count;
    },
    storeRequest: (priority, outcome) => store.inc({ priority, outcome }),
    storageOperation: (operation, isFailed) => storage.inc({ operation, outcome: isFailed ? "error" : "ok" }),
    discordRequest: (method, route, status) => discord.inc({ method, route, status: statusClass(status) }),
    rateLimitWait: (ms) => waits.observe(ms / 1_000),
    shardConnected: (shard, isConnected) => connected.set({ shard: String(shard) }, isConnected ? 1 : 0),
  };

  return {
    metrics,
    contentType: register.contentType,
    text(): Promise<string> {
      owed.set(countOwed());
      ready.set(isReady() ? 1 : 0);
      return register.metrics();
    },
  };
}
