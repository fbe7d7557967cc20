import type { Guild } from "../guilds/guild.ts";
import type { Guilds } from "../guilds/guilds.ts";

/** One server's record in memory, so that a poll does not read it. Throws what `Guilds` throws. */
export class GuildCache {
  private readonly guilds: Guilds;
  private readonly id: string;
  private guild: Guild | undefined;
  /** How often the record has changed: one that was read meanwhile is not kept. */
  private changes = 0;

  constructor(guilds: Guilds, id: string) {
    this.guilds = guilds;
    this.id = id;
  }

  async get(): Promise<Guild> {
    if (this.guild) return this.guild;
    const { changes } = this;
    const guild = await this.guilds.get(this.id);
    if (changes === this.changes) this.guild = guild;
    return guild;
  }

  /** The record changed, or may have. */
  forget() {
    this.changes++;
    this.guild = undefined;
  }
}
