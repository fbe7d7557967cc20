import { type Guild, zoneNameOf } from "../guilds/guild.ts";
import { isQuiet, type QuietHours, quietHoursOf } from "../guilds/remind-settings.ts";

const quarterMs = 15 * 60_000;

/** When one server is to be reminded. */
export class ReminderTimes {
  /** Epoch ms. */
  private readonly now: () => number;
  private guild: Pick<Guild, "settings" | "remind"> | undefined;
  private quiet: QuietHours | undefined;

  constructor({ now }: { readonly now: () => number }) {
    this.now = now;
  }

  /** Times are as this record says from now on. */
  follow(guild: Pick<Guild, "settings" | "remind">) {
    if (guild === this.guild) return;
    this.guild = guild;
    this.quiet = guild.remind && quietHoursOf(guild.remind, zoneNameOf(guild));
  }

  /** Milliseconds until a reminder of what was found at that time (epoch ms) is due. */
  dueInMs(foundAt: number): number {
    const { remind } = this.guild ?? {};
    if (remind === undefined) return 0;
    const now = this.now();
    const ms = Math.max(Math.min(foundAt, now) + remind.afterMs - now, 0);
    // Quiet hours end with a quarter of an hour, in every time zone.
    return ms === 0 && this.quiet && isQuiet(this.quiet, now) ? quarterMs - (now % quarterMs) : ms;
  }
}
