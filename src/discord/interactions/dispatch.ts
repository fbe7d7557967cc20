import {
  type API,
  type APIApplicationCommandAutocompleteInteraction,
  type APIInteraction,
  ComponentType,
  InteractionType,
} from "@discordjs/core";
import { createBudget } from "../../basics/limits/budget.ts";
import { budgets } from "../../basics/limits/budgets.ts";
import { withDeadline } from "../../basics/limits/deadline.ts";
import type { Log } from "../../basics/log.ts";
import { parseCustomId } from "../../views/parts/custom-ids.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import type { Caller } from "../commands/caller.ts";
import { type Command, executablesOf, type Job } from "../commands/define-command.ts";
import type { Services } from "../commands/services.ts";
import type { Access } from "./access.ts";
import { type AnswerSender, createAnswerSender, type InteractionAnswer, isAnsweredElsewhere } from "./answer-sender.ts";
import {
  type Answerable,
  callerOf,
  chosenIn,
  isServed,
  pressOf,
  type ServedInteraction,
  submissionOf,
} from "./interaction.ts";

export type RoundRobin = (key: string) => Promise<void>;

/** Lets one piece of work begin in each iteration of the event loop. The keys (servers) take turns. */
export function createRoundRobin(): RoundRobin {
  const waiting = new Map<string, (() => void)[]>();
  let isTurning = false;

  function turn() {
    const [next] = waiting;
    if (!next) {
      isTurning = false;
      return;
    }
    const [key, line] = next;
    waiting.delete(key);
    line.shift()?.();
    if (line.length > 0) waiting.set(key, line);
    setImmediate(turn);
  }

  return (key) => {
    if (!isTurning) {
      isTurning = true;
      setImmediate(turn);
      return Promise.resolve();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const line = waiting.get(key);
    if (line) line.push(resolve);
    else waiting.set(key, [resolve]);
    return promise;
  };
}

/** Finds no inherited property: the name comes from outside, and every object inherits names such as `constructor`. */
function own<T>(named: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return named !== undefined && Object.hasOwn(named, name) ? named[name] : undefined;
}

function unknown(): never {
  throw new ProblemError({ code: "unknown_action" });
}

function createRoutes(list: readonly Command[]) {
  const commands = new Map(list.map((command) => [command.name, command]));
  const executables = new Map(list.map((command) => [command.name, executablesOf(command)]));

  /** The bot may have no command with this name. */
  const nameOf = (interaction: ServedInteraction) =>
    "name" in interaction.data ? interaction.data.name : parseCustomId(interaction.data.custom_id)?.command;

  return {
    nameOf,
    managersOnly: (interaction: ServedInteraction) => commands.get(nameOf(interaction) ?? "")?.managersOnly === true,
    jobFor(interaction: Answerable, caller: Caller): Job {
      if (interaction.type === InteractionType.ApplicationCommand) {
        const { typed, values } = chosenIn(interaction);
        return (executables.get(interaction.data.name)?.get(typed) ?? unknown()).job(caller, values);
      }
      const id = parseCustomId(interaction.data.custom_id) ?? unknown();
      const handlers = commands.get(id.command)?.handlers;
      if (interaction.type === InteractionType.MessageComponent) {
        const kind = interaction.data.component_type === ComponentType.Button ? "buttons" : "menus";
        const handle = own(handlers?.[kind], id.action) ?? unknown();
        return handle(pressOf(interaction, caller, id.args));
      }
      const handle = own(handlers?.windows, id.action) ?? unknown();
      return handle(submissionOf(interaction, caller, id.args));
    },
    suggestFor(interaction: APIApplicationCommandAutocompleteInteraction) {
      const { typed, focused } = chosenIn(interaction);
      if (!focused) return undefined;
      const suggest = own(executables.get(interaction.data.name)?.get(typed)?.options, focused.name)?.suggest;
      return suggest && { suggest, typed: focused.typed };
    },
  };
}

/** After this time the person gets an empty list. The store's answer is kept, so the next typed letter brings suggestions. */
const suggestDeadlineMs = 300;
/** A window has to be the first answer, which is due within 3 s. */
const modalDeadlineMs = 2_000;
/** A refusal of access within this time is the first answer, and needs one request only. Later, the bot defers the answer. */
const accessPatienceMs = 600;

interface DispatchDeps {
  readonly api: API;
  readonly commands: readonly Command[];
  /** Ids of commands, by name. The integration settings have only the ids. */
  commandIds(guildId: string): ReadonlyMap<string, string>;
  readonly access: Pick<Access, "allows">;
  servicesFor(caller: Caller): Services;
  readonly log: Log;
  /** Aborted when the process ends. From then on new interactions are ignored. */
  readonly ending: AbortSignal;
  /** A monotonic clock, in ms, for the budgets of people. */
  readonly monotonic?: () => number;
}

export function createDispatch(deps: DispatchDeps) {
  const { log, ending } = deps;
  const routes = createRoutes(deps.commands);
  const interactions = createBudget(budgets.interactions, deps.monotonic);
  const suggestions = createBudget(budgets.suggestions, deps.monotonic);
  const inTurn = createRoundRobin();
  const answerSender = createAnswerSender({ api: deps.api, log, nameOf: routes.nameOf, ending });
  const { answer, suggest } = createAnswers(deps, routes, answerSender, inTurn);
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

function createAnswers(
  deps: DispatchDeps,
  routes: ReturnType<typeof createRoutes>,
  answerSender: AnswerSender,
  inTurn: RoundRobin,
) {
  const { servicesFor, log } = deps;

  async function authorize(interaction: ServedInteraction, caller: Caller) {
    const id =
      interaction.type === InteractionType.ApplicationCommand
        ? interaction.data.id
        : deps.commandIds(caller.guildId).get(routes.nameOf(interaction) ?? "");
    const managersOnly = routes.managersOnly(interaction);
    const isAllowed = await deps.access.allows(caller, { id, managersOnly });
    if (!isAllowed) throw new ProblemError({ code: managersOnly ? "managers_only" : "not_allowed" });
  }

  async function run(interaction: Answerable, answer: InteractionAnswer) {
    const caller = callerOf(interaction);
    if (!caller) throw new ProblemError({ code: "guild_only" });
    const job = routes.jobFor(interaction, caller);
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
        const typed = routes.suggestFor(interaction);
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
