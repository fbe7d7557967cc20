import { expect, it } from "vitest";
import type { AlertStatus } from "../../../src/alerts/alerts.ts";
import { pollStatusOf } from "../../../src/alerts/poll-status.ts";
import type { Guild } from "../../../src/guilds/guild.ts";
import { alertsStatusNotice } from "../../../src/views/settings/status-notices.ts";
import { textOf } from "../../support/views-support.ts";

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

/** As `/alerts status` shows it. */
function shownFor(health: object) {
  const read = status({ planned: 0, followed: 0, ...health });
  const { channelId, statuses, since } = guild.alerts ?? { channelId: "", statuses: [], since: 0 };
  const polls = pollStatusOf(guild, read, { now: () => startedAt, pollIntervalMs });
  return textOf(alertsStatusNotice({ channelId, statuses, since, ...read, ...polls }, "en"));
}

it("a failure warns until the next good poll (before: until the next start)", () => {
  const lastError = { code: "timeout", at: startedAt };

  expect(shownFor({ lastError, lastGoodAt: startedAt - 1 })).toMatch(/^### ⚠️/);
  expect(shownFor({ lastError, lastGoodAt: startedAt + 1 })).toMatch(/^### ✅.+Last problem:\*\* <t:\d+:R>/s);
});

it("polls that are a minute late warn, without an error, too (before: only /store status warned)", () => {
  const lastGoodAt = startedAt - pollIntervalMs - 60_000;

  expect(shownFor({ lastGoodAt })).toMatch(/^### ✅/);
  expect(shownFor({ lastGoodAt: lastGoodAt - 1 })).toMatch(/^### ⚠️/);
});

it.each([
  ["storage", /^The bot could not reach its own storage\. .+ Nothing is lost, and the bot tries again by itself\.$/],
  ["internal", /^Something went wrong in the bot\. .+ Nothing is lost/],
  ["rate_limited", /^The store got too many requests\. Nothing is lost/],
  ["too_large", /^The bot could not use the store's answer\. .+ Nothing is lost/],
] as const)(
  "a poll that failed (%s) is told without a word about a command (before: “so this was not done”)",
  (code, sentence) => {
    const [, said = ""] = /Last problem:\*\* <t:60:R> · (.+)/.exec(shownFor({ lastError: { code, at: 60_000 } })) ?? [];

    expect(said).toMatch(sentence);
    expect(said).not.toMatch(/this was|[Tt]ry again|reference|search/);
  },
);
