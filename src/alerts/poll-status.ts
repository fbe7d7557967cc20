import type { Guild } from "../guilds/guild.ts";
import type { FailureCode } from "../outbox/context.ts";
import type { Problem } from "../views/parts/problem.ts";
import type { PollStatus } from "../views/settings/status-notices.ts";
import type { AlertStatus } from "./alerts.ts";

function problemFor(code: FailureCode): Problem {
  if (code === "refused" || code === "internal") return { code: "internal" };
  if (code === "undelivered") return { code: "discord_down" };
  return { code };
}

/** Returns the last poll, the delay and the last error, for `/store status` and `/alerts status`. */
export function pollStatusOf(
  guild: Guild,
  status: AlertStatus,
  deps: { now: () => number; pollIntervalMs: number },
): PollStatus {
  const { lastPollAt, lastGoodAt, lastError } = status;
  // If this process never polled successfully, count the delay from its start.
  const start = lastGoodAt ?? Math.max(guild.alerts?.since ?? 0, performance.timeOrigin);
  const late = guild.alerts ? deps.now() - start - deps.pollIntervalMs : 0;
  return {
    lastPollAt,
    lagMs: Math.max(late, 0),
    lastError: lastError && { problem: problemFor(lastError.code), at: lastError.at },
  };
}
