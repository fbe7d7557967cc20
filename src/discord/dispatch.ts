import { randomBytes } from "node:crypto";
import {
  type API,
  type APIApplicationCommandAutocompleteInteraction,
  type APIInteraction,
  InteractionType,
  MessageFlags,
} from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";
import { createBudget } from "../basics/budget.ts";
import { budgets } from "../basics/budgets.ts";
import type { Choice } from "../basics/choices.ts";
import { withDeadline } from "../basics/deadline.ts";
import { localeOf } from "../basics/locale.ts";
import type { Log } from "../basics/log.ts";
import { parseCustomId } from "../views/custom-id.ts";
import { ProblemError, problemNotice } from "../views/problem.ts";
import type { Access } from "./access.ts";
import type { Caller } from "./caller.ts";
import type { Command, Executable, Job } from "./define-command.ts";
import { callerOf, chosenIn, isServed, pressOf, type ServedInteraction, submissionOf } from "./interaction.ts";
import { createLane } from "./lane.ts";
import { problemOf } from "./problem-of.ts";
import { createRotation } from "./rotation.ts";

/** Autocomplete that takes longer shows nothing, which beats a person waiting at the keyboard. */
const suggestDeadlineMs = 300;
/** A modal has to be the first answer, within 3 s: who may open it must be known before. */
const modalDeadlineMs = 2_000;
/** Nobody waits longer for a first answer. Whoever is refused by then is told so in it, with a single request. */
const accessPatienceMs = 600;
/** Discord's limit on autocomplete choices. */
const maxChoices = 25;

/** Answers interactions. */
export interface Dispatch {
  /** Never rejects: every failure becomes a sentence for the caller and a line in the log. */
  handle(interaction: APIInteraction): Promise<void>;
  /** No further interaction is answered; resolves when those under way are. */
  end(): Promise<void>;
}

type Answerable = Exclude<ServedInteraction, APIApplicationCommandAutocompleteInteraction>;

/** What Discord has been answered so far. */
type Acknowledged = "no" | "reply" | "update";

/** What stands under a name that came from outside: `constructor` stands in every object. */
function own<T>(named: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return named !== undefined && Object.hasOwn(named, name) ? named[name] : undefined;
}

const byAnybody: ReadonlySet<string> = new Set(["cooldown", "not_allowed", "unknown_action", "guild_only"]);

/** Custom ids that carry no command of ours, and names that are no longer published. */
function unknown(): never {
  throw new ProblemError({ code: "unknown_action" });
}

/**
 * @param monotonic a clock that nobody sets, in ms, for the budgets of people
 * @param servicesFor what commands work with, as this person has it
 * @param commandIds ids of the published commands by name, for the integration settings that name them
 */
export function createDispatch<Services>(deps: {
  api: API;
  commands: readonly Command<Services>[];
  commandIds(): ReadonlyMap<string, string>;
  access: Pick<Access, "allows">;
  servicesFor(caller: Caller): Services;
  log: Log;
  monotonic?: () => number;
}): Dispatch {
  const { api, servicesFor, log } = deps;
  const commands = new Map(deps.commands.map((command) => [command.name, command]));
  const interactions = createBudget(budgets.interactions, deps.monotonic);
  const suggestions = createBudget(budgets.suggestions, deps.monotonic);
  const refusals = createLane(budgets.refusals);
  const inTurn = createRotation();
  const underWay = new Set<Promise<void>>();
  let ending = false;

  const commandNameOf = (interaction: ServedInteraction) =>
    "name" in interaction.data ? interaction.data.name : parseCustomId(interaction.data.custom_id)?.command;

  function executableOf(name: string, subcommand: string | undefined): Executable<Services> | undefined {
    const command = commands.get(name);
    return subcommand === undefined ? command?.execute : own(command?.subcommands, subcommand);
  }

  function jobFor(interaction: Answerable, caller: Caller): Job<Services> {
    if (interaction.type === InteractionType.ApplicationCommand) {
      const { subcommand, values } = chosenIn(interaction);
      return (executableOf(interaction.data.name, subcommand) ?? unknown()).job(caller, values);
    }
    const id = parseCustomId(interaction.data.custom_id) ?? unknown();
    const handlers = commands.get(id.command)?.handlers;
    if (interaction.type === InteractionType.MessageComponent) {
      const handle = own(handlers?.components, id.action) ?? unknown();
      return handle(pressOf(interaction, caller, id.args));
    }
    const handle = own(handlers?.windows, id.action) ?? unknown();
    return handle(submissionOf(interaction, caller, id.args));
  }

  async function authorize(interaction: ServedInteraction, caller: Caller) {
    const name = commandNameOf(interaction) ?? "";
    const id =
      interaction.type === InteractionType.ApplicationCommand ? interaction.data.id : deps.commandIds().get(name);
    const isForStaff = commands.get(name)?.managersOnly !== true;
    if (!(await deps.access.allows(caller, { id, isForStaff }))) throw new ProblemError({ code: "not_allowed" });
  }

  async function suggest(interaction: APIApplicationCommandAutocompleteInteraction) {
    const find = async () => {
      const caller = callerOf(interaction);
      const { subcommand, focused } = chosenIn(interaction);
      if (!caller || !focused) return [];
      await authorize(interaction, caller);
      const option = own(executableOf(interaction.data.name, subcommand)?.options, focused.name);
      return (await option?.suggest?.(focused.typed, caller, servicesFor(caller))) ?? [];
    };
    const choices = await withDeadline(find(), suggestDeadlineMs, []).catch((error: unknown) => {
      log.debug({ err: error, command: interaction.data.name }, "no suggestions");
      return [];
    });
    await offer(interaction, choices);
  }

  async function offer({ id, token }: ServedInteraction, choices: readonly Choice[]) {
    await api.interactions.createAutocompleteResponse(id, token, {
      choices: choices.slice(0, maxChoices).map((choice) => ({ ...choice })),
    });
  }

  /** Tells a person why nothing was done, in the first answer where there is none yet. */
  async function refuse(interaction: Answerable, error: unknown, acknowledged: Acknowledged) {
    const { id, token, application_id: applicationId, guild_id: guildId } = interaction;
    const reference = randomBytes(4).toString("hex");
    const problem = problemOf(error);
    // What anybody can cause at will, without any right here, must not fill the log.
    const level = problem.code === "internal" ? "error" : byAnybody.has(problem.code) ? "debug" : "info";
    log[level](
      { err: error, reference, code: problem.code, command: commandNameOf(interaction), guild: guildId },
      "an interaction was answered with a problem",
    );
    const payload = problemNotice(problem, localeOf(interaction.locale), reference);
    const body = { ...payload, flags: payload.flags | MessageFlags.Ephemeral };
    if (acknowledged === "reply") await api.interactions.editReply(applicationId, token, payload);
    else if (acknowledged === "update") await api.interactions.followUp(applicationId, token, body);
    else await refusals(guildId ?? id, async () => void (await api.interactions.reply(id, token, body)));
  }

  async function acknowledge({ id, token }: Answerable, answer: "ephemeral" | "update"): Promise<Acknowledged> {
    if (answer === "update") {
      await api.interactions.deferMessageUpdate(id, token);
      return "update";
    }
    await api.interactions.defer(id, token, { flags: MessageFlags.Ephemeral });
    return "reply";
  }

  async function answer(interaction: Answerable) {
    const { id, token, application_id: applicationId } = interaction;
    let acknowledged: Acknowledged = "no";
    try {
      const caller = callerOf(interaction);
      if (!caller) throw new ProblemError({ code: "guild_only" });
      const job = jobFor(interaction, caller);
      const authorized = authorize(interaction, caller);
      // Where Discord does not take the first answer, nobody waits for it any more.
      authorized.catch(() => undefined);
      if (job.answer === "modal") {
        const isKnown = await withDeadline(
          authorized.then(() => true),
          modalDeadlineMs,
          false,
        );
        if (!isKnown) throw new ProblemError({ code: "internal" });
        // Presses that wait for the same look-up go on in the same moment.
        await inTurn(caller.guildId);
        await api.interactions.createModal(id, token, await job.run(servicesFor(caller)));
        return;
      }
      await withDeadline(authorized, accessPatienceMs, undefined);
      acknowledged = await acknowledge(interaction, job.answer);
      await authorized;
      // Answers to what was deferred arrive in bulk.
      await inTurn(caller.guildId);
      await api.interactions.editReply(applicationId, token, await job.run(servicesFor(caller)));
    } catch (error) {
      if (isAnsweredElsewhere(error)) {
        log.warn({ interaction: id, code: error.code }, "another process answered, or the answer came too late");
        return;
      }
      await refuse(interaction, error, acknowledged);
    }
  }

  /** Unknown interaction (answered too late) and already acknowledged (a second process on the same token). */
  function isAnsweredElsewhere(error: unknown): error is DiscordAPIError {
    return error instanceof DiscordAPIError && (error.code === 10062 || error.code === 40060);
  }

  /** Metered before anything else is done: what goes beyond a person's budget costs one request, or none. */
  async function serve(interaction: APIInteraction) {
    if (!isServed(interaction)) return;
    const guildId = interaction.guild_id ?? interaction.id;
    const person = `${guildId}:${(interaction.member ?? interaction).user?.id}`;
    if (interaction.type === InteractionType.ApplicationCommandAutocomplete) {
      if (suggestions.spend(person) > 0) return void (await refusals(guildId, () => offer(interaction, [])));
      await inTurn(guildId);
      await suggest(interaction);
      return;
    }
    const waitMs = interactions.spend(person);
    if (waitMs > 0) {
      const problem = new ProblemError({ code: "cooldown", seconds: Math.ceil(waitMs / 1_000) });
      await refuse(interaction, problem, "no");
      return;
    }
    await inTurn(guildId);
    await answer(interaction);
  }

  return {
    handle(interaction) {
      if (ending) return Promise.resolve();
      const work = serve(interaction).catch((error: unknown) => {
        log.error({ err: error, interaction: interaction.id }, "an interaction could not be answered");
      });
      underWay.add(work);
      return work.finally(() => underWay.delete(work));
    },
    async end() {
      ending = true;
      await Promise.all(underWay);
    },
  };
}
