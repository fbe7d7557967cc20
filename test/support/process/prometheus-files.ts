import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const monitoring = join(import.meta.dirname, "../../../docs/monitoring");

export const rulesFile = join(monitoring, "alert-rules.yaml");

const dashboardSchema = z.object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })) });

/** Has an interval in place of Grafana's variable. */
export async function dashboardQueries(): Promise<string[]> {
  const text = await readFile(join(monitoring, "grafana-dashboard.json"), "utf8");
  const { panels } = dashboardSchema.parse(JSON.parse(text));
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "5m")));
}

/** A rules file of the queries, so that Prometheus' own parser can check them. */
export const asRules = (queries: readonly string[]): string =>
  JSON.stringify({
    groups: [{ name: "queries", rules: queries.map((expr, index) => ({ record: `query:${index}`, expr })) }],
  });

/** Names of the bot's metrics in a query or in rules. */
export const namesIn = (text: string): string[] => text.match(/\b(?:shopbell|nodejs|process)_\w+/g) ?? [];

export function seriesIn(scrape: string): { name: string; labels: Record<string, string> }[] {
  return scrape.split("\n").flatMap((line) => {
    const [, name, inner = ""] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) return [];
    const labels = [...inner.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]);
    return [{ name, labels: Object.fromEntries(labels) }];
  });
}
