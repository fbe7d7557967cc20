import { type Guild, zoneNameOf } from "../guilds/guild.ts";
import type { Storage } from "../storage/table.ts";
import { isQuiet, type QuietHours, quietHoursOf, type RemindSettings, remindSettingsTable } from "./remind-settings.ts";

/** The settings may be changed by another process. */
const lookEveryMs = 60_000;
const quarterMs = 15 * 60_000;

export interface ReminderTimesDeps {
  readonly storage: Storage;
  /** Epoch ms. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
}

/** When one server is to be reminded, as it was last read. */
export class ReminderTimes {
  private readonly deps: ReminderTimesDeps;
  private settings: RemindSettings | undefined;
  private quiet: QuietHours | undefined;
  private readAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ReminderTimesDeps) {
    this.deps = deps;
  }

  /** Reads the server's settings, once in a minute. Throws `StorageError`. */
  async read(guild: Guild): Promise<void> {
    const now = this.deps.monotonic();
    if (now - this.readAt < lookEveryMs) return;
    this.settings = (await this.deps.storage.table(remindSettingsTable).get(guild.id)) ?? undefined;
    this.quiet = this.settings && quietHoursOf(this.settings, zoneNameOf(guild));
    this.readAt = now;
  }

  get isWanted(): boolean {
    return this.settings !== undefined;
  }

  /** Milliseconds until a reminder of what was found at that time (epoch ms) is due. */
  dueInMs(foundAt: number): number {
    if (this.settings === undefined) return 0;
    const now = this.deps.now();
    const ms = Math.max(Math.min(foundAt, now) + this.settings.afterMs - now, 0);
    // Quiet hours end with a quarter of an hour, in every time zone.
    return ms === 0 && this.quiet && isQuiet(this.quiet, now) ? quarterMs - (now % quarterMs) : ms;
  }

  forget() {
    this.readAt = Number.NEGATIVE_INFINITY;
  }
}
