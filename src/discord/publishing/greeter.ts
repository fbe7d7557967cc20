import type { API } from "@discordjs/core";
import { z } from "zod";
import { localeOf } from "../../basics/locale.ts";
import type { Log } from "../../basics/log.ts";
import { createMutex } from "../../basics/mutex.ts";
import type { Table, TableShape } from "../../storage/table.ts";
import { greetingPost } from "../../views/alerts/server-notice.ts";
import { failureOf } from "../rest/rest-messenger.ts";

/** A server as Discord shows it when it comes into reach. */
export interface SeenGuild {
  readonly id: string;
  readonly name: string;
  /** One of Discord's locales. */
  readonly locale: string;
  readonly ownerId: string;
  /** Where Discord itself greets new members; not every server has one. */
  readonly systemChannelId: string | undefined;
  /** When the bot joined, epoch ms. */
  readonly joinedAt: number;
}

const greetedSchema = z.object({ joinedAt: z.number() });
type Greeted = Readonly<z.infer<typeof greetedSchema>>;

/** By the ids of servers. What is malformed is a joining that never was: a server that is new is greeted once more. */
export const greetedTable: TableShape<Greeted> = {
  name: "greeted",
  schema: greetedSchema.catch({ joinedAt: 0 }),
  version: 1,
};

/** Says hello to servers that invited the bot. */
export interface Greeter {
  /** Greets the server unless that was done; never rejects. */
  see(guild: SeenGuild): Promise<void>;
  /** The bot was removed: invited again, it greets again. */
  forget(guildId: string): Promise<void>;
}

/** A server that invited the bot longer ago has found the next step without a greeting, or wants none. */
const newForMs = 7 * 24 * 3_600_000;
/** A record outlives the time in which it is looked at, whatever the clocks of Discord and this machine say. */
const keptForMs = 2 * newForMs;
/** Greetings go one by one; what has waited longer than this is left out. */
const longestWaitMs = 60_000;

/**
 * Greets in the system channel, or in a message to the owner where that is closed. The record is written first: a kill in
 * between costs a greeting, and no server is greeted twice.
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
    // Another process on the same storage may greet at the same moment: to Discord, both send the same message.
    const once = { nonce: `hi-${id}`, enforce_nonce: true };
    if (systemChannelId !== undefined) {
      try {
        await api.channels.createMessage(systemChannelId, { ...greetingPost(language), ...once });
        return "channel";
      } catch (error) {
        // It may have been posted all the same.
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
      // A date that cannot be read makes it none.
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
