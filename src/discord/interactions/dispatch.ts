import { type API, type APIInteraction, InteractionType } from "@discordjs/core";
import { createBudget } from "../../basics/limits/budget.ts";
import { budgets } from "../../basics/limits/budgets.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import type { Command } from "../commands/define-command.ts";
import { createAnswerSender, isAnsweredElsewhere } from "./answer-sender.ts";
import { type AnswersDeps, createAnswers } from "./answers.ts";
import { createCommandLookup } from "./command-lookup.ts";
import { isServed } from "./interaction.ts";
import { createRoundRobin } from "./round-robin.ts";

interface DispatchDeps extends AnswersDeps {
  readonly api: API;
  readonly commands: readonly Command[];
  /** Aborted when the process ends. From then on new interactions are ignored. */
  readonly ending: AbortSignal;
  /** A monotonic clock, in ms, for the budgets of people. */
  readonly monotonic?: () => number;
}

export function createDispatch(deps: DispatchDeps) {
  const { log, ending } = deps;
  const lookup = createCommandLookup(deps.commands);
  const interactions = createBudget(budgets.interactions, deps.monotonic);
  const suggestions = createBudget(budgets.suggestions, deps.monotonic);
  const inTurn = createRoundRobin();
  const answerSender = createAnswerSender({ api: deps.api, log, nameOf: lookup.nameOf, ending });
  const { answer, suggest } = createAnswers(deps, lookup, answerSender, inTurn);
  const underWay = new Set<Promise<void>>();

  /** The budget is checked before anything else. So an interaction beyond the budget costs at most one request. */
  async function serve(interaction: APIInteraction) {
    if (!isServed(interaction)) return;
    const guildId = interaction.guild_id ?? interaction.id;
    const person = `${guildId}:${(interaction.member ?? interaction).user?.id}`;
    if (interaction.type === InteractionType.ApplicationCommandAutocomplete) {
      if (suggestions.spend(person) > 0) return answerSender.offerNothing(interaction);
      await inTurn(guildId);
      return suggest(interaction);
    }
    const waitMs = interactions.spend(person);
    if (waitMs > 0) {
      const problem = new ProblemError({ code: "cooldown", seconds: Math.ceil(waitMs / 1_000) });
      return answerSender.to(interaction).refuse(problem);
    }
    await inTurn(guildId);
    return answer(interaction);
  }

  return {
    /** Never rejects. */
    handle(interaction: APIInteraction): Promise<void> {
      if (ending.aborted) return Promise.resolve();
      const work = serve(interaction).catch((error: unknown) => {
        const fields = { interaction: interaction.id, guild: interaction.guild_id };
        if (isAnsweredElsewhere(error)) {
          log.warn({ ...fields, code: error.code }, "another process answered, or the answer came too late");
        } else log.error({ ...fields, err: error }, "an interaction could not be answered");
      });
      underWay.add(work);
      return work.finally(() => underWay.delete(work));
    },
    /** Resolves when the interactions under way are answered. */
    async end(): Promise<void> {
      await Promise.all(underWay);
    },
  };
}
