import { randomBytes } from "node:crypto";
import { type API, MessageFlags } from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";
import { BoundedMap } from "../../basics/bounded-map.ts";
import { budgets } from "../../basics/budgets.ts";
import { type Choice, mostChoices } from "../../basics/choices.ts";
import { type ConcurrencyLimit, createConcurrencyLimit } from "../../basics/concurrency-limit.ts";
import { localeOf } from "../../basics/locale.ts";
import type { Log } from "../../basics/log.ts";
import { ProblemError, problemNotice } from "../../views/parts/problem.ts";
import type { Answerable } from "./command-routes.ts";
import type { ServedInteraction } from "./interaction.ts";
import { problemOf } from "./problem-of.ts";

const { atOnce, longestWaitMs } = budgets.refusals;
/** A refusal that is sent for longer than this gives its place to another one. */
const longestSendMs = 10_000;
/**
 * Maximum number of servers in the memory of these limits. A server that leaves the memory starts again with all its
 * places free.
 */
const mostServers = 1_000;

const byAnybody: ReadonlySet<string> = new Set(["cooldown", "not_allowed", "unknown_action", "guild_only"]);

/** The first answer that Discord has already accepted, if any. */
export type Acknowledged = "no" | "reply" | "update";

/**
 * The answers that the bot itself gives: deferrals, refusals and suggestions. Each promise rejects if Discord refuses
 * the answer. The results of commands are sent by `dispatch.ts`.
 */
export interface Replies {
  /**
   * Defers the answer: tells Discord that the command works, and that a reply or a change of the pressed message
   * follows.
   */
  acknowledge(interaction: Answerable, answer: "ephemeral" | "update"): Promise<Acknowledged>;
  /** Logs the problem and tells the person: in the first answer if there is none yet. */
  refuse(interaction: Answerable, error: unknown, acknowledged: Acknowledged): Promise<void>;
  /** Offers the first 25 choices. */
  offer(interaction: ServedInteraction, choices: readonly Choice[]): Promise<void>;
  /** Offers no choices. Sends nothing if too many refusals of the server are being sent. */
  offerNothing(interaction: ServedInteraction): Promise<void>;
}

/**
 * Whether the error means that the interaction is unknown (the answer came too late) or already answered (by a second
 * process with the same token).
 */
export function isAnsweredElsewhere(error: unknown): error is DiscordAPIError {
  return error instanceof DiscordAPIError && (error.code === 10062 || error.code === 40060);
}

/**
 * Makes {@link Replies}.
 *
 * @param nameOf returns the name of the command in an interaction, for the log
 */
export function createReplies(
  api: API,
  log: Log,
  nameOf: (interaction: ServedInteraction) => string | undefined,
): Replies {
  const limits = new BoundedMap<string, ConcurrencyLimit>(mostServers);

  /** Sends a refusal when one of the server's 20 places is free. Drops the refusal if that takes too long. */
  async function refuseFirst(guildId: string, send: () => Promise<unknown>) {
    const limit = limits.get(guildId) ?? createConcurrencyLimit(atOnce, longestSendMs);
    limits.set(guildId, limit);
    const leave = await limit.take(false, AbortSignal.timeout(longestWaitMs));
    if (!leave) return;
    await send().finally(leave);
  }

  async function offer({ id, token }: ServedInteraction, choices: readonly Choice[]) {
    await api.interactions.createAutocompleteResponse(id, token, {
      choices: choices.slice(0, mostChoices).map((choice) => ({ ...choice })),
    });
  }

  return {
    offer,
    async offerNothing(interaction) {
      await refuseFirst(interaction.guild_id ?? interaction.id, () => offer(interaction, []));
    },
    async acknowledge({ id, token }, answer) {
      if (answer === "update") {
        await api.interactions.deferMessageUpdate(id, token);
        return "update";
      }
      await api.interactions.defer(id, token, { flags: MessageFlags.Ephemeral });
      return "reply";
    },
    async refuse(interaction, error, acknowledged) {
      const { id, token, application_id: applicationId, guild_id: guildId } = interaction;
      const reference = randomBytes(4).toString("hex");
      const problem = problemOf(error);
      // Any member can cause these problems on purpose, so they must not fill the log.
      const level = problem.code === "internal" ? "error" : byAnybody.has(problem.code) ? "debug" : "info";
      log[level](
        { err: error, reference, code: problem.code, command: nameOf(interaction), guild: guildId },
        "an interaction came to a problem",
      );
      const rows = error instanceof ProblemError ? error.rows : [];
      const payload = problemNotice(problem, localeOf(interaction.locale), reference, rows);
      const body = { ...payload, flags: payload.flags | MessageFlags.Ephemeral };
      if (acknowledged === "reply") await api.interactions.editReply(applicationId, token, payload);
      else if (acknowledged === "update") await api.interactions.followUp(applicationId, token, body);
      else await refuseFirst(guildId ?? id, () => api.interactions.reply(id, token, body));
    },
  };
}
