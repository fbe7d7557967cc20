import { expect, it } from "vitest";
import type { AlertStatus } from "../../src/alerts/alerts.ts";
import { pollStatusOf } from "../../src/alerts/poll-status.ts";
import type { Guild } from "../../src/guilds/guild.ts";

const year = 365 * 24 * 60 * 60_000;
const startedAt = performance.timeOrigin;
const pollIntervalMs = 15_000;

const guild: Guild = {
  id: "1",
  settings: { language: "en", privacy: "none" },
  alerts: { channelId: "2", statuses: ["PENDING"], since: startedAt - year },
};
const status = (health: object) => health as AlertStatus;

it("a process that has just started is not late for the year in which alerts were on before", () => {
  const { lagMs } = pollStatusOf(guild, status({}), { now: () => startedAt + 20_000, pollIntervalMs });

  expect(lagMs).toBe(5_000);
});

it("a poll that did not come is late from when the last good one was", () => {
  const lastGoodAt = startedAt + 60_000;

  const { lagMs } = pollStatusOf(guild, status({ lastGoodAt }), { now: () => lastGoodAt + 45_000, pollIntervalMs });

  expect(lagMs).toBe(30_000);
});
