import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../support/process/free-port.ts";
import { asRules, dashboardQueries, namesIn, rulesFile, seriesIn } from "../support/process/prometheus-files.ts";
import { alertOf } from "../support/process/shown-orders.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/process/world.ts";

const get = async (port: number, path: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, text: await answer.text() };
};

const figure = (scrape: string, series: string) =>
  Number(
    scrape
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.split(" ")
      .at(-1),
  );

/** The alert is posted and then edited. */
async function ringAndPay(world: World) {
  const order = world.store.placeOrder();
  await alertOf(world, order.id);
  world.store.setStatus(order.id, "PAID");
  await alertOf(world, order.id, (text) => text.includes("Paid"));
}

/** What promtool finds wrong. Undefined also if promtool is not installed. */
function promtool(args: readonly string[], input = ""): string | undefined {
  const { error, status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8" });
  if (error) return undefined;
  return status === 0 ? undefined : `${stdout}${stderr}`;
}

test("with HTTP_PORT a bot is healthy, ready once the gateway is there, and counts what it does, without a word about anybody", async () => {
  await using world = await createWorld();
  const port = await freePort();
  world.discord.gateway.refuse(true);
  const bot = world.launch({ HTTP_PORT: String(port) });
  const ready = () => get(port, "/readyz").catch(() => undefined);
  await expect.poll(ready).toEqual({ status: 503, text: "starting\ngateway: shard 0 is not connected\n" });
  expect(await get(port, "/healthz")).toEqual({ status: 200, text: "ok\n" });
  world.discord.gateway.refuse(false);
  await expect.poll(ready).toEqual({ status: 200, text: "ready\n" });
  await connectStore(world);
  await setAlerts(world);
  await run(world, "orders").settled();
  await ringAndPay(world);

  const now = async (series: string) => figure((await get(port, "/metrics")).text, series);
  const unchanged = 'shopbell_store_requests_total{priority="background",outcome="unchanged"}';
  await expect.poll(() => now("shopbell_alerts_edited_total")).toBe(1);
  await expect.poll(() => now(unchanged)).toBeGreaterThan(0);
  const { text: scrape } = await get(port, "/metrics");

  expect(figure(scrape, "shopbell_alerts_posted_total")).toBe(1);
  expect(figure(scrape, "shopbell_alert_lag_from_created_seconds_count")).toBe(1);
  expect(figure(scrape, "shopbell_alert_lag_from_created_seconds_sum")).toBeLessThan(10);
  expect(figure(scrape, "shopbell_alert_lag_from_seen_seconds_count")).toBe(1);
  expect(figure(scrape, "shopbell_alerts_owed")).toBe(0);
  expect(figure(scrape, "shopbell_ready")).toBe(1);
  expect(figure(scrape, 'shopbell_gateway_connected{shard="0"}')).toBe(1);
  expect(figure(scrape, 'shopbell_poll_duration_seconds_count{outcome="ok"}')).toBeGreaterThan(0);
  expect(figure(scrape, 'shopbell_store_requests_total{priority="interactive",outcome="ok"}')).toBeGreaterThan(0);
  const posts = 'shopbell_discord_requests_total{method="POST",route="/channels/:id/messages",status="2xx"}';
  expect(figure(scrape, posts)).toBeGreaterThanOrEqual(1);
  expect(figure(scrape, 'shopbell_storage_operations_total{operation="read",outcome="ok"}')).toBeGreaterThan(0);
  const own = seriesIn(scrape).filter(({ name }) => name.startsWith("shopbell_"));
  for (const { labels } of own) {
    const { version: _, node: _node, ...words } = labels;
    for (const word of Object.values(words))
      expect(word).toMatch(/^(?:[a-zA-Z_]+|\d\.?\d*|\+Inf|429|\dxx|[/:@a-zA-Z]+)$/);
  }
  await expectMonitoringFits(world, scrape);
  expect((await bot.stop()).code).toBe(0);
});

/** The bot has every metric of the dashboard and of the alert rules, and Prometheus accepts all three. */
async function expectMonitoringFits(world: World, scrape: string) {
  const queries = await dashboardQueries();
  const rules = await readFile(rulesFile, "utf8");
  const present = new Set(seriesIn(scrape).map(({ name }) => name));
  const wanted = new Set([...namesIn(queries.join("\n")), ...namesIn(rules)]);
  expect([...wanted].filter((name) => !present.has(name))).toEqual([]);
  const ofDashboard = join(world.directory, "dashboard-queries.yaml");
  await writeFile(ofDashboard, asRules(queries));

  expect(promtool(["check", "metrics"], scrape)).toBeUndefined();
  expect(promtool(["check", "rules", rulesFile])).toBeUndefined();
  expect(promtool(["check", "rules", ofDashboard])).toBeUndefined();
}

test("the alarm that Discord is unreachable is for failed requests only while none is answered", async () => {
  const series = (status: string, values: string) => ({
    series: `shopbell_discord_requests_total{instance="a",method="POST",route="/x",status="${status}"}`,
    values,
  });
  const alarmWith = (answered: string, exp_alerts: object[]) => ({
    interval: "1m",
    input_series: [series("none", "0+3x20"), series("2xx", answered)],
    alert_rule_test: [{ eval_time: "15m", alertname: "ShopbellDiscordUnreachable", exp_alerts }],
  });
  const alarm = { exp_labels: { instance: "a", severity: "critical" } };
  const tests = [alarmWith("5x20", [alarm]), alarmWith("0+1x20", [])];
  const file = join(await mkdtemp(join(tmpdir(), "shopbell-rules-")), "tests.yaml");
  // promtool also compares annotations, so the rules are tested without them.
  const rules = (await readFile(rulesFile, "utf8")).replaceAll(/^ {8}annotations:\n(?: {10}.*\n)+/gm, "");
  await writeFile(`${file}.rules`, rules);
  await writeFile(file, JSON.stringify({ rule_files: [`${file}.rules`], tests }));

  expect(promtool(["test", "rules", file])).toBeUndefined();

  await rm(dirname(file), { recursive: true });
});
