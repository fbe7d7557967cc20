import { type APIApplicationCommandAutocompleteInteraction, ComponentType, InteractionType } from "@discordjs/core";
import { parseCustomId } from "../../views/parts/custom-ids.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import type { Caller } from "../commands/caller.ts";
import { type Command, executablesOf, type Job } from "../commands/define-command.ts";
import { type Answerable, chosenIn, pressOf, type ServedInteraction, submissionOf } from "./interaction.ts";

/** Finds no inherited property: the name comes from outside, and every object inherits names such as `constructor`. */
function own<T>(named: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return named !== undefined && Object.hasOwn(named, name) ? named[name] : undefined;
}

function unknown(): never {
  throw new ProblemError({ code: "unknown_action" });
}

/** Finds the code of a command, of a button, menu or window, and of the suggestions for an option. */
export function createCommandLookup(list: readonly Command[]) {
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

export type CommandLookup = ReturnType<typeof createCommandLookup>;
