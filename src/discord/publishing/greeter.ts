import type { GatewayGuildCreateDispatchData } from "@discordjs/core";
import { z } from "zod";
import { createKeyedMutex } from "../../basics/limits/mutex.ts";
import { localeOf } from "../../basics/locale.ts";
import type { Log } from "../../basics/log.ts";
import { type Messenger, MessengerError, nonceFor } from "../../outbox/messenger.ts";
import type { Table, TableShape } from "../../storage/table.ts";
import { greetingPost } from "../../views/alerts/server-notice.ts";

export type SeenGuild = Pick<
  GatewayGuildCreateDispatchData,
  "id" | "name" | "preferred_locale" | "system_channel_id" | "joined_at"
>;

const greetedSchema = z.object({ joinedAt: z.number() });
type Greeted = Readonly<z.infer<typeof greetedSchema>>;

/** Keys are server ids. A row means that the server was greeted, and has not removed the bot since. */
export const greetedTable: TableShape<Greeted> = {
  name: "greeted",
  schema: greetedSchema.catch({ joinedAt: 0 }),
  version: 1,
};

/** Servers that invited the bot longer ago than this get no greeting: people there know the next step, or want no greeting. */
const newForMs = 7 * 24 * 3_600_000;
/** A record is needed for `newForMs`. It is stored twice as long, because the clocks of Discord and this machine may differ. */
const keptForMs = 2 * newForMs;

/**
 * Greets in the system channel. If there is none, or Discord refuses the message, greets the owner in a direct message. The
 * record is written before the greeting. So a kill can prevent the greeting, but no server is greeted twice after one
 * invitation. `now` is the wall clock, because `joinedAt` is Discord's time.
 */
export function createGreeter(deps: {
  readonly messenger: Pick<Messenger, "send" | "tellOwner">;
  readonly greeted: Table<Greeted>;
  readonly log: Log;
  readonly now: () => number;
}) {
  const { messenger, greeted, log, now } = deps;
  const oneByOne = createKeyedMutex();

  async function send(guild: SeenGuild): Promise<"channel" | "owner"> {
    const language = localeOf(guild.preferred_locale);
    // Another process may greet at the same moment. With the nonce, Discord posts only one of the two messages.
    const nonce = nonceFor(guild.id, "", ["greeting", guild.joined_at]);
    if (guild.system_channel_id) {
      try {
        await messenger.send(guild.system_channel_id, greetingPost(language), nonce);
        return "channel";
      } catch (error) {
        // The greeting may be in the channel already, so it is not sent to the owner.
        if (!(error instanceof MessengerError) || error.code === "uncertain") throw error;
      }
    }
    await messenger.tellOwner(guild.id, (name) => greetingPost(language, name), nonce);
    return "owner";
  }

  async function greet(guild: SeenGuild, joinedAt: number): Promise<void> {
    const { id, name } = guild;
    if ((await greeted.get(id)) !== undefined) return;
    log.info({ guild: id, server: name }, "joined a server");
    await greeted.set(id, { joinedAt }, { ttlMs: keptForMs });
    const where = await send(guild);
    log.info({ guild: id, where }, "greeted a server; the next step there is /store connect");
  }

  return {
    /** Never rejects. */
    async see(guild: SeenGuild): Promise<void> {
      const joinedAt = Date.parse(guild.joined_at);
      // If the date cannot be read (NaN), the server does not count as new.
      const isNew = now() - joinedAt < newForMs;
      if (!isNew) return;
      await oneByOne(guild.id, () => greet(guild, joinedAt)).catch((error: unknown) =>
        log.warn({ err: error, guild: guild.id }, "could not greet a server; the next step there is /store connect"),
      );
    },
    /** Forgets that the server was greeted, so that the bot greets it after the next invitation. */
    forget: (guildId: string) => oneByOne(guildId, () => greeted.delete(guildId)),
  };
}
