import type { Guild } from "../guilds/guild.ts";
import type { Guilds } from "../guilds/guilds.ts";

/** One server's record in memory, so that a poll does not read it. Throws what `Guilds` throws. */
export class GuildCache {
  private readonly guilds: Guilds;
  private readonly id: string;
  private guild: Guild | undefined;
  private present = new AbortController();

  constructor(guilds: Guilds, id: string) {
    this.guilds = guilds;
    this.id = id;
  }

  async get(): Promise<Guild> {
    if (this.guild) return this.guild;
    const { signal } = this.present;
    const guild = await this.guilds.get(this.id);
    if (!signal.aborted) this.guild = guild;
    return guild;
  }

  /** Aborted when the record changes. To be asked for before the record. */
  signal(): AbortSignal {
    return this.present.signal;
  }

  /** The record changed, or may have. */
  forget() {
    this.present.abort();
    this.present = new AbortController();
    this.guild = undefined;
  }
}
