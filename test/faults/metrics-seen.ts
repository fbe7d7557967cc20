import { setTimeout as delay } from "node:timers/promises";

/** What a Prometheus would have learned while something went wrong. */
export interface MetricsSeen {
  /** What `GET /readyz` gave as reasons, each once. */
  readonly reasons: readonly string[];
  /** Looks that got no answer. */
  readonly unanswered: number;
  /** Finished lines: counters that rose and tell of a failure, gauges at their worst. */
  readonly lines: readonly string[];
}

const lagName = "shopbell_alert_lag_from_created_seconds";
const lookEveryMs = 500;
/** What Prometheus waits by default (scrape_timeout). */
const answerMs = 10_000;
/** Labels that say whether it went well; the others would make many lines of one fact. */
const verdicts = ["outcome", "status"];
/** A poll that waits does so for a failure, which is counted itself. */
const goodVerdicts = new Set(["ok", "unchanged", "waiting", "2xx", ""]);

/** Counters by name and verdict, gauges by name, of one scrape. */
function valuesIn(scrape: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const line of scrape.split("\n")) {
    const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || name.endsWith("_bucket")) continue;
    const verdict = verdicts.flatMap((label) => new RegExp(`\\b${label}="[^"]*"`).exec(labels)?.[0] ?? []).join(",");
    const series = verdict === "" ? name : `${name}{${verdict}}`;
    values.set(series, (values.get(series) ?? 0) + Number(value));
  }
  return values;
}

const verdictOf = (series: string) => /="(.*?)"\}$/.exec(series)?.[1] ?? "";

function worst(rounds: readonly Map<string, number>[], series: string, pick: (...values: number[]) => number) {
  return pick(...rounds.flatMap((values) => values.get(series) ?? []));
}

/** Three digits, and bytes as MiB. */
const shown = (series: string, value: number) =>
  series.endsWith("_bytes") ? `${Math.round(value / (1 << 20))} MiB` : String(Number(value.toPrecision(3)));

function linesOf(rounds: readonly Map<string, number>[], gauges: readonly string[]): string[] {
  const [first] = rounds;
  if (first === undefined) return [];
  const rise = (series: string) => (rounds.at(-1)?.get(series) ?? 0) - (first.get(series) ?? 0);
  const every = [...new Set(rounds.flatMap((values) => [...values.keys()]))].sort();
  const isFailure = (series: string) => !goodVerdicts.has(verdictOf(series)) && !series.includes("_sum{");
  const failures = every.filter((series) => isFailure(series) && rise(series) > 0);
  const lag = rise(`${lagName}_sum`) / rise(`${lagName}_count`);
  const low = ["shopbell_ready", "shopbell_gateway_connected"].filter((series) => worst(rounds, series, Math.min) < 1);
  const owed = worst(rounds, "shopbell_alerts_owed", Math.max);
  return [
    ...low.map((series) => `\`${series}\` 0`),
    ...(owed > 0 ? [`\`shopbell_alerts_owed\` up to ${owed}`] : []),
    ...failures.map((series) => `\`${series}\` +${rise(series)}`),
    ...(lag > 0 ? [`\`${lagName}\` ${shown(lagName, lag)} on average`] : []),
    ...gauges.map((series) => `\`${series}\` up to ${shown(series, worst(rounds, series, Math.max))}`),
  ];
}

/** Looks at a bot's HTTP server, and then twice a second until `stop`. */
export async function watchMetrics(
  port: number,
  gauges: readonly string[] = [],
): Promise<{ stop(): Promise<MetricsSeen> }> {
  const rounds: Map<string, number>[] = [];
  const reasons = new Set<string>();
  let unanswered = 0;
  let isOver = false;

  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(answerMs) });
    return answer.text();
  };
  async function look() {
    try {
      const [ready, scrape] = await Promise.all([get("/readyz"), get("/metrics")]);
      for (const reason of ready.trim().split("\n")) if (reason !== "ready") reasons.add(reason);
      rounds.push(valuesIn(scrape));
    } catch {
      unanswered += 1;
    }
  }
  async function watch() {
    while (!isOver) {
      await delay(lookEveryMs);
      await look();
    }
  }
  await look();
  // A look begins the measure of the event loop's delay anew; that takes 100 ms, in which a block goes unseen.
  await delay(lookEveryMs);
  const watching = watch();

  return {
    async stop() {
      isOver = true;
      await watching;
      return { reasons: [...reasons], unanswered, lines: linesOf(rounds, gauges) };
    },
  };
}
