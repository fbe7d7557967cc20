import { type APIApplicationCommandAutocompleteInteraction, InteractionType } from "@discordjs/core";
import { withDeadline } from "../../basics/limits/deadline.ts";
import type { Log } from "../../basics/log.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import type { Caller } from "../commands/caller.ts";
import type { Services } from "../commands/services.ts";
import type { Access } from "./access.ts";
import { type AnswerSender, type InteractionAnswer, isAnsweredElsewhere } from "./answer-sender.ts";
import type { CommandLookup } from "./command-lookup.ts";
import { type Answerable, callerOf, type ServedInteraction } from "./interaction.ts";
import type { RoundRobin } from "./round-robin.ts";

/** After this time the person gets an empty list. The store's answer is cached, so the next typed letter brings suggestions. */
const suggestDeadlineMs = 300;
/** A window has to be the first answer, which is due within 3 s. */
const modalDeadlineMs = 2_000;
/** If access is refused within this time, the refusal is the first answer. So one request is enough. */
const accessPatienceMs = 600;

export interface AnswersDeps {
  /** Ids of commands, by name. The integration settings have only the ids. */
  commandIds(guildId: string): ReadonlyMap<string, string>;
  readonly access: Pick<Access, "assertAllowed">;
  servicesFor(caller: Caller): Services;
  readonly log: Log;
}

/** Checks access, runs the code of an interaction, and answers within Discord's 3 s. */
export function createAnswers(
  deps: AnswersDeps,
  lookup: CommandLookup,
  answerSender: AnswerSender,
  inTurn: RoundRobin,
) {
  const { servicesFor, log } = deps;

  async function authorize(interaction: ServedInteraction, caller: Caller) {
    const id =
      interaction.type === InteractionType.ApplicationCommand
        ? interaction.data.id
        : deps.commandIds(caller.guildId).get(lookup.nameOf(interaction) ?? "");
    await deps.access.assertAllowed(caller, { id, managersOnly: lookup.managersOnly(interaction) });
  }

  async function run(interaction: Answerable, answer: InteractionAnswer) {
    const caller = callerOf(interaction);
    if (!caller) throw new ProblemError({ code: "guild_only" });
    const job = lookup.jobFor(interaction, caller);
    const authorized = authorize(interaction, caller).then(() => true);
    // If Discord refuses the first answer, no code awaits this promise. Its rejection must not end the process.
    authorized.catch(() => undefined);
    if (job.answer === "modal") {
      if (!(await withDeadline(authorized, modalDeadlineMs, false))) throw new ProblemError({ code: "internal" });
      await inTurn(caller.guildId);
      await answer.open(await job.run(servicesFor(caller)));
      return;
    }
    await withDeadline(authorized, accessPatienceMs, undefined);
    await answer.acknowledge(job.answer);
    await authorized;
    await inTurn(caller.guildId);
    const payload = await job.run(servicesFor(caller), answer);
    if (payload) await answer.show(payload);
  }

  return {
    async answer(interaction: Answerable) {
      const answer = answerSender.to(interaction);
      await run(interaction, answer).catch((error: unknown) => {
        if (isAnsweredElsewhere(error)) throw error;
        return answer.refuse(error);
      });
    },

    async suggest(interaction: APIApplicationCommandAutocompleteInteraction) {
      const find = async () => {
        const caller = callerOf(interaction);
        const typed = lookup.suggestFor(interaction);
        if (!caller || !typed) return [];
        await authorize(interaction, caller);
        return typed.suggest(typed.typed, caller, servicesFor(caller));
      };
      const choices = await withDeadline(find(), suggestDeadlineMs, []).catch((error: unknown) => {
        log.debug({ err: error, command: interaction.data.name }, "could not make suggestions");
        return [];
      });
      await answerSender.offer(interaction, choices);
    },
  };
}
