import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import {
  type API,
  type APIApplicationCommandAutocompleteInteraction,
  type APIInteraction,
  InteractionType,
  MessageFlags,
} from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";
import type { Log } from "../operations/log.ts";
import { localeOf } from "../views/context.ts";
import { parseCustomId } from "../views/custom-id.ts";
import type { MessagePayload } from "../views/payload.ts";
import { problemNotice } from "../views/problem.ts";
import type { Access } from "./access.ts";
import type { Action, Caller, Command } from "./define-command.ts";
import { callerOf, chosenIn, isServed, pressOf, type ServedInteraction, submissionOf } from "./interaction.ts";
import { ProblemError, problemOf } from "./problem-error.ts";
import { createRotation } from "./rotation.ts";
import { createThrottle } from "./throttle.ts";

/** Autocomplete that takes longer shows nothing, which beats a person waiting at the keyboard. */
const suggestDeadlineMs = 300;
/** A modal has to be the first answer, within 3 s: who may open it must be known before. */
const modalDeadlineMs = 2_000;
/** Discord's limit on autocomplete choices. */
const maxChoices = 25;

/** Answers interactions. */
export interface Dispatch {
  /** Never rejects: every failure becomes a sentence for the caller and a line in the log. */
  handle(interaction: APIInteraction): Promise<void>;
  /** No further interaction is answered; resolves when those under way are. */
  end(): Promise<void>;
}

interface Job<Services> {
  readonly action: Action<never, Services>;
  readonly context: Caller;
}

async function tooLateForModal(): Promise<never> {
  await wait(modalDeadlineMs, undefined, { ref: false });
  throw new ProblemError({ code: "internal" });
}

/** Custom ids that carry no command of ours, and names that are no longer published. */
function unknown(): never {
  throw new ProblemError({ code: "unknown_action" });
}

/**
 * @param commandIds ids of the published commands by name, for the integration settings that name them
 */
export function createDispatch<Services>(deps: {
  api: API;
  commands: readonly Command<Services>[];
  commandIds(): ReadonlyMap<string, string>;
  access: Pick<Access, "allows">;
  services: Services;
  log: Log;
}): Dispatch {
  const { api, services, log } = deps;
  const commands = new Map(deps.commands.map((command) => [command.name, command]));
  const throttle = createThrottle();
  const inTurn = createRotation();
  const underWay = new Set<Promise<void>>();
  let ending = false;

  const commandNameOf = (interaction: ServedInteraction) =>
    "name" in interaction.data ? interaction.data.name : parseCustomId(interaction.data.custom_id)?.command;

  function jobFor(
    interaction: Exclude<ServedInteraction, APIApplicationCommandAutocompleteInteraction>,
    caller: Caller,
  ): Job<Services> {
    if (interaction.type === InteractionType.ApplicationCommand) {
      const command = commands.get(interaction.data.name);
      const { subcommand, values } = chosenIn(interaction);
      const executable = subcommand === undefined ? command?.execute : command?.subcommands?.[subcommand];
      return {
        action: (executable ?? unknown()) as Action<never, Services>,
        context: { ...caller, options: values } as Caller,
      };
    }
    const id = parseCustomId(interaction.data.custom_id) ?? unknown();
    const command = commands.get(id.command);
    if (interaction.type === InteractionType.MessageComponent) {
      const action = command?.components?.[id.action] ?? unknown();
      return { action: action as Action<never, Services>, context: pressOf(interaction, caller, id.args) };
    }
    const action = command?.modals?.[id.action] ?? unknown();
    return { action: action as Action<never, Services>, context: submissionOf(interaction, caller, id.args) };
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
      const command = commands.get(interaction.data.name);
      const executable = subcommand === undefined ? command?.execute : command?.subcommands?.[subcommand];
      return (await executable?.options[focused.name]?.suggest?.(focused.typed, caller, services)) ?? [];
    };
    const late = new Promise<[]>((resolve) => setTimeout(resolve, suggestDeadlineMs, []).unref());
    const choices = await Promise.race([find(), late]).catch((error: unknown) => {
      log.debug({ err: error, command: interaction.data.name }, "no suggestions");
      return [];
    });
    await api.interactions.createAutocompleteResponse(interaction.id, interaction.token, {
      choices: choices.slice(0, maxChoices).map((choice) => ({ ...choice })),
    });
  }

  async function answer(interaction: Exclude<ServedInteraction, APIApplicationCommandAutocompleteInteraction>) {
    const { id, token, application_id: applicationId } = interaction;
    let acknowledged: "no" | "reply" | "update" = "no";

    const refuse = async (payload: MessagePayload) => {
      const body = { ...payload, flags: payload.flags | MessageFlags.Ephemeral };
      if (acknowledged === "reply") await api.interactions.editReply(applicationId, token, payload);
      else if (acknowledged === "update") await api.interactions.followUp(applicationId, token, body);
      else await api.interactions.reply(id, token, body);
    };

    try {
      const caller = callerOf(interaction);
      if (!caller) throw new ProblemError({ code: "guild_only" });
      const { action, context } = jobFor(interaction, caller);
      if (action.answer === "modal") {
        await Promise.race([authorize(interaction, caller), tooLateForModal()]);
        await api.interactions.createModal(id, token, await action.run(context as never, services));
        return;
      }
      if (action.answer === "update") {
        await api.interactions.deferMessageUpdate(id, token);
        acknowledged = "update";
      } else {
        await api.interactions.defer(id, token, { flags: MessageFlags.Ephemeral });
        acknowledged = "reply";
      }
      // Answers to what was deferred arrive in bulk.
      await inTurn(caller.guildId);
      await authorize(interaction, caller);
      await throttle(`${caller.guildId}:${caller.userId}`);
      await api.interactions.editReply(applicationId, token, await action.run(context as never, services));
    } catch (error) {
      if (isAnsweredElsewhere(error)) {
        log.warn({ interaction: id, code: error.code }, "another process answered, or the answer came too late");
        return;
      }
      const reference = randomBytes(4).toString("hex");
      const problem = problemOf(error);
      log[problem.code === "internal" ? "error" : "info"](
        { err: error, reference, code: problem.code, command: commandNameOf(interaction), guild: interaction.guild_id },
        "an interaction was answered with a problem",
      );
      await refuse(problemNotice(problem, localeOf(interaction.locale), reference));
    }
  }

  /** Unknown interaction (answered too late) and already acknowledged (a second process on the same token). */
  function isAnsweredElsewhere(error: unknown): error is DiscordAPIError {
    return error instanceof DiscordAPIError && (error.code === 10062 || error.code === 40060);
  }

  async function serve(interaction: ServedInteraction) {
    await inTurn(interaction.guild_id ?? interaction.id);
    if (interaction.type === InteractionType.ApplicationCommandAutocomplete) await suggest(interaction);
    else await answer(interaction);
  }

  return {
    handle(interaction) {
      if (ending || !isServed(interaction)) return Promise.resolve();
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
