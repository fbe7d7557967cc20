import type { API } from "@discordjs/core";
import { z } from "zod";
import { localeOf } from "../../basics/locale.ts";
import type { Log } from "../../basics/log.ts";
import { createMutex } from "../../basics/mutex.ts";
import type { Table, TableShape } from "../../storage/table.ts";
import { greetingPost } from "../../views/alerts/server-notice.ts";
import { failureOf } from "../rest/rest-messenger.ts";

/** A server, as Discord shows it when the server becomes available. */
export interface SeenGuild {
  readonly id: string;
  readonly name: string;
  /** One of Discord's locales. */
  readonly locale: string;
  readonly ownerId: string;
  /** The channel where Discord greets new members, if the server has one. */
  readonly systemChannelId: string | undefined;
  /** Epoch ms. */
  readonly joinedAt: number;
}

const greetedSchema = z.object({ joinedAt: z.number() });
type Greeted = Readonly<z.infer<typeof greetedSchema>>;

/** Greeted servers, by id. A malformed row counts as not greeted: a new server is then greeted once more. */
export const greetedTable: TableShape<Greeted> = {
  name: "greeted",
  schema: greetedSchema.catch({ joinedAt: 0 }),
  version: 1,
};

/** Greets servers that invited the bot. */
export interface Greeter {
  /** Greets the server unless it was greeted before. Never rejects. */
  see(guild: SeenGuild): Promise<void>;
  /** The bot was removed. If it is invited again, it greets again. */
  forget(guildId: string): Promise<void>;
}

/**
 * Servers that invited the bot longer ago are not greeted: their people have found the next step, or want no greeting.
 */
const newForMs = 7 * 24 * 3_600_000;
/**
 * How long a record of a greeting is stored. It is twice the time in which the record is read, so a difference between
 * the clocks of Discord and this machine does no harm.
 */
const keptForMs = 2 * newForMs;
/** Greetings are sent one by one. A greeting that has waited longer than this is left out. */
const longestWaitMs = 60_000;

/**
 * Greets in the system channel, or in a direct message to the owner if that channel is closed. The record is written
 * before the greeting is sent. So a kill in between loses the greeting, but no server is greeted twice.
 *
 * @param now wall clock, because `joinedAt` is Discord's
 */
export function createGreeter(deps: {
  readonly api: Pick<API, "channels" | "users">;
  readonly greeted: Table<Greeted>;
  /** A server with a store needs no greeting. */
  readonly isConnected: (guildId: string) => Promise<boolean>;
  readonly log: Log;
  readonly now: () => number;
}): Greeter {
  const { api, greeted, log, now } = deps;
  const oneByOne = createMutex();

  async function send({ id, locale, name, ownerId, systemChannelId }: SeenGuild): Promise<"channel" | "owner"> {
    const language = localeOf(locale);
    // Another process on the same storage may greet at the same moment. With the nonce, Discord posts only one of the
    // two messages.
    const once = { nonce: `hi-${id}`, enforce_nonce: true };
    if (systemChannelId !== undefined) {
      try {
        await api.channels.createMessage(systemChannelId, { ...greetingPost(language), ...once });
        return "channel";
      } catch (error) {
        // The message may have been posted, so do not greet the owner as well.
        if (failureOf(error) === "uncertain") throw error;
      }
    }
    const direct = await api.users.createDM(ownerId);
    await api.channels.createMessage(direct.id, { ...greetingPost(language, name), ...once });
    return "owner";
  }

  async function greet(guild: SeenGuild): Promise<void> {
    const record = await greeted.get(guild.id);
    if (record?.joinedAt === guild.joinedAt || (await deps.isConnected(guild.id))) return;
    await greeted.set(guild.id, { joinedAt: guild.joinedAt }, { ttlMs: keptForMs });
    const where = await send(guild);
    log.info({ guild: guild.id, where }, "greeted a server; the next step, there: /store connect");
  }

  return {
    async see(guild) {
      // An unreadable date (NaN) is not new.
      const isNew = now() - guild.joinedAt < newForMs;
      if (!isNew) return;
      const seenAt = performance.now();
      const greetInTime = async () => {
        if (performance.now() - seenAt <= longestWaitMs) await greet(guild);
      };
      await oneByOne
        .run(greetInTime)
        .catch((error: unknown) =>
          log.warn(
            { err: error, guild: guild.id },
            "a server could not be greeted; the next step, there: /store connect",
          ),
        );
    },
    forget: (guildId) => greeted.delete(guildId),
  };
}
