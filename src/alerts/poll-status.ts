import type { Guild } from "../guilds/guild.ts";
import { isFailing } from "../outbox/notices.ts";
import type { PollStatus } from "../views/settings/status-notices.ts";
import type { AlertStatus } from "./alerts.ts";

/** `lagMs`: how late polls are. `isFailing`: whether polls or messages fail now. */
export function pollStatusOf(
  guild: Guild,
  status: AlertStatus,
  deps: { now: () => number; pollIntervalMs: number },
): Pick<PollStatus, "lagMs" | "isFailing"> {
  // Before the first successful poll, the delay counts from the start of this process or of alerts, whichever was later.
  const start = status.lastGoodAt ?? Math.max(guild.alerts?.since ?? 0, performance.timeOrigin);
  const late = guild.alerts ? deps.now() - start - deps.pollIntervalMs : 0;
  return { lagMs: Math.max(late, 0), isFailing: isFailing(status) };
}
