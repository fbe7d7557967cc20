import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { shopbellVersion } from "../../../src/basics/shopbell-version.ts";
import { createPrometheus } from "../../../src/operations/prometheus.ts";
import { rulesFile } from "../../support/process/prometheus-files.ts";

const create = (isReady = () => true) => createPrometheus(isReady);

const line = (text: string, start: string) => text.split("\n").find((candidate) => candidate.startsWith(start));

test("lags are in seconds and never negative, answers are counted by class, 429 apart, and the version is a label", async () => {
  const { metrics, text } = create();
  metrics.alertPosted({ sinceCreatedMs: -3_600_000, sinceSeenMs: -5 });
  metrics.alertPosted({ sinceCreatedMs: undefined, sinceSeenMs: 1_500 });
  for (const status of [200, 204, 404, 429, 502, undefined]) metrics.discordRequest("GET", "/gateway/bot", status);

  const scrape = await text();

  expect(line(scrape, "shopbell_alerts_posted_total")).toBe("shopbell_alerts_posted_total 2");
  expect(line(scrape, "shopbell_alert_lag_from_created_seconds_count")).toMatch(/ 1$/);
  expect(line(scrape, "shopbell_alert_lag_from_created_seconds_sum")).toMatch(/ 0$/);
  expect(line(scrape, "shopbell_alert_lag_from_seen_seconds_sum")).toMatch(/ 1.5$/);
  const counted = scrape.match(/shopbell_discord_requests_total\{.*\} \d/g)?.map((found) => found.slice(-13));
  expect(counted).toEqual(['atus="2xx"} 2', 'atus="4xx"} 1', 'atus="429"} 1', 'atus="5xx"} 1', 'tus="none"} 1']);
  expect(scrape).toContain(`shopbell_build_info{version="${shopbellVersion}",node="${process.version}"} 1`);
  expect(scrape).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.]/m);
});

test("what is owed and whether all is well is asked when somebody looks", async () => {
  let owed = 3;
  let isReady = true;
  const { metrics, text } = create(() => isReady);
  metrics.alertsOwed(() => owed);
  expect(line(await text(), "shopbell_alerts_owed")).toBe("shopbell_alerts_owed 3");

  owed = 0;
  isReady = false;
  const scrape = await text();

  expect(line(scrape, "shopbell_alerts_owed")).toBe("shopbell_alerts_owed 0");
  expect(line(scrape, "shopbell_ready")).toBe("shopbell_ready 0");
});

test("every quantile that a rule asks for can go beyond its threshold: the highest bucket lies above it", async () => {
  const scrape = await create().text();
  const rules = await readFile(rulesFile, "utf8");
  const asked = [...rules.matchAll(/histogram_quantile\(.*?(\w+)_bucket\b.*\) > ([\d.]+)/g)];
  const quantiles = rules.match(/histogram_quantile/g) ?? [];

  expect(asked.length).toBe(quantiles.length);
  expect(asked.length).toBeGreaterThan(0);
  for (const [, metric, threshold] of asked) {
    const buckets = scrape.matchAll(new RegExp(`^${metric}_bucket\\{.*?le="([\\d.]+)"`, "gm"));
    const highest = Math.max(...[...buckets].map(([, bound]) => Number(bound)));
    expect(highest, metric).toBeGreaterThan(Number(threshold));
  }
});
