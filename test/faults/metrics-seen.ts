import { setTimeout as delay } from "node:timers/promises";

/** As Prometheus sees them. */
export interface MetricsSeen {
  /** What `GET /readyz` answered, each once. */
  readonly reasons: readonly string[];
  /** Scrapes without an answer. */
  readonly unanswered: number;
  /** Finished lines: counters of failures that rose, and gauges at their worst. */
  readonly lines: readonly string[];
}

type Scrape = ReadonlyMap<string, number>;

const lagName = "shopbell_alert_lag_from_created_seconds";
const scrapeEveryMs = 500;
/** Prometheus' own time limit (scrape_timeout). */
const answerMs = 10_000;
/** Values of the labels `outcome` and `status` that are no failure. `waiting` follows a failure, which is counted itself. */
const goodVerdicts = /="(?:ok|unchanged|waiting|2xx)"/;

/** By name and `outcome` or `status`. Values are summed up over all other labels. */
function valuesIn(text: string): Scrape {
  const values = new Map<string, number>();
  for (const [, name = "", labels = "", value] of text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
    const verdict = /\b(?:outcome|status)="[^"]*"/.exec(labels)?.[0];
    const series = verdict === undefined ? name : `${name}{${verdict}}`;
    values.set(series, (values.get(series) ?? 0) + Number(value));
  }
  return values;
}

function linesOf(scrapes: readonly Scrape[]): string[] {
  const rise = (series: string) => (scrapes.at(-1)?.get(series) ?? 0) - (scrapes[0]?.get(series) ?? 0);
  const valuesOf = (series: string) => scrapes.flatMap((values) => values.get(series) ?? []);
  const isFailure = (series: string) => /(?:_total|_count)\{/.test(series) && !goodVerdicts.test(series);
  const failures = [...new Set(scrapes.flatMap((values) => [...values.keys()]))].filter(isFailure).sort();
  const low = ["shopbell_ready", "shopbell_gateway_connected"].filter((series) => valuesOf(series).includes(0));
  const pending = Math.max(...valuesOf("shopbell_alerts_owed"));
  const lag = rise(`${lagName}_sum`) / rise(`${lagName}_count`);
  return [
    ...low.map((series) => `\`${series}\` 0`),
    ...(pending > 0 ? [`\`shopbell_alerts_owed\` up to ${pending}`] : []),
    ...failures.flatMap((series) => (rise(series) > 0 ? [`\`${series}\` +${rise(series)}`] : [])),
    ...(lag > 0 ? [`\`${lagName}\` ${Number(lag.toPrecision(3))} on average`] : []),
  ];
}

/** Reads metrics and readiness at once and then twice a second, until `stop`. */
export async function watchMetrics(port: number): Promise<{ stop(): Promise<MetricsSeen> }> {
  const scrapes: Scrape[] = [];
  const reasons = new Set<string>();
  let unanswered = 0;
  let isOver = false;

  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(answerMs) });
    return answer.text();
  };
  async function scrape() {
    try {
      const [ready, metrics] = await Promise.all([get("/readyz"), get("/metrics")]);
      for (const reason of ready.trim().split("\n")) if (reason !== "ready") reasons.add(reason);
      scrapes.push(valuesIn(metrics));
    } catch {
      unanswered += 1;
    }
  }
  async function watch() {
    while (!isOver) {
      await delay(scrapeEveryMs);
      await scrape();
    }
  }
  await scrape();
  const watching = watch();

  return {
    async stop() {
      isOver = true;
      await watching;
      return { reasons: [...reasons], unanswered, lines: linesOf(scrapes) };
    },
  };
}
