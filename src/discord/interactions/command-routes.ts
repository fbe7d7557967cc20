import { type APIApplicationCommandAutocompleteInteraction, InteractionType } from "@discordjs/core";
import { parseCustomId } from "../../views/parts/custom-ids.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import type { Caller } from "../commands/caller.ts";
import { type Command, executablesOf, type Job } from "../commands/define-command.ts";
import { chosenIn, pressOf, type ServedInteraction, submissionOf } from "./interaction.ts";

/** An interaction that is answered with a message or a window: any but autocomplete. */
export type Answerable = Exclude<ServedInteraction, APIApplicationCommandAutocompleteInteraction>;

/**
 * Reads a property of the object itself. The name comes from outside, and every object inherits names such as
 * `constructor`.
 */
function own<T>(named: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return named !== undefined && Object.hasOwn(named, name) ? named[name] : undefined;
}

/** Throws the problem for a custom id that belongs to no command, or for a command that is no longer published. */
function unknown(): never {
  throw new ProblemError({ code: "unknown_action" });
}

/** Finds the command, and its handler, for an interaction. */
export type CommandRoutes = ReturnType<typeof createCommandRoutes>;

/** Makes routes to these commands. */
export function createCommandRoutes(list: readonly Command[]) {
  const commands = new Map(list.map((command) => [command.name, command]));
  const executables = new Map(list.map((command) => [command.name, executablesOf(command)]));

  /** The name of the command that the interaction belongs to. The bot may have no such command. */
  const nameOf = (interaction: ServedInteraction) =>
    "name" in interaction.data ? interaction.data.name : parseCustomId(interaction.data.custom_id)?.command;

  return {
    nameOf,
    /** Whether the staff role is not enough for the command. */
    managersOnly: (interaction: ServedInteraction) => commands.get(nameOf(interaction) ?? "")?.managersOnly === true,
    /** Throws a `ProblemError` ("unknown_action") if no command handles the interaction. */
    jobFor(interaction: Answerable, caller: Caller): Job {
      if (interaction.type === InteractionType.ApplicationCommand) {
        const { typed, values } = chosenIn(interaction);
        return (executables.get(interaction.data.name)?.get(typed) ?? unknown()).job(caller, values);
      }
      const id = parseCustomId(interaction.data.custom_id) ?? unknown();
      const handlers = commands.get(id.command)?.handlers;
      if (interaction.type === InteractionType.MessageComponent) {
        const handle = own(handlers?.components, id.action) ?? unknown();
        return handle(pressOf(interaction, caller, id.args));
      }
      const handle = own(handlers?.windows, id.action) ?? unknown();
      return handle(submissionOf(interaction, caller, id.args));
    },
    /** Returns the function that suggests values for the option being typed, and the typed text. */
    suggestFor(interaction: APIApplicationCommandAutocompleteInteraction) {
      const { typed, focused } = chosenIn(interaction);
      if (!focused) return undefined;
      const suggest = own(executables.get(interaction.data.name)?.get(typed)?.options, focused.name)?.suggest;
      return suggest && { suggest, typed: focused.typed };
    },
  };
}
