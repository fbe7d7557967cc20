import { type APIApplicationCommandOption, ApplicationCommandOptionType as OptionType } from "@discordjs/core";
import type { ApplicationCommand } from "./model.ts";
import { type OptionValue, optionPayload, type Resolved } from "./option-values.ts";
import type { Place } from "./place.ts";
import type { World } from "./world.ts";

/** A slash command as a person types it. */
export interface CommandInput {
  readonly guildId: string;
  readonly channelId: string;
  readonly name: string;
  /** `set`, or `group set`. */
  readonly subcommand?: string;
  /** Channels, roles and people by id, files as `upload` made them. */
  readonly options?: Readonly<Record<string, OptionValue>>;
  /** Language of the person's client; default: the person's own. */
  readonly locale?: string;
  /** Sends it although the person may not use the command. */
  readonly force?: boolean;
}

/** A typed command as its interaction carries it. */
interface TypedCommand {
  /** `/name sub`. */
  readonly label: string;
  /** Type of the option that the cursor is in. */
  readonly focusedType?: number;
  readonly data: Record<string, unknown>;
}

type Nesting = Extract<APIApplicationCommandOption, { type: OptionType.Subcommand | OptionType.SubcommandGroup }>;

const isNested = (option: APIApplicationCommandOption): option is Nesting =>
  option.type === OptionType.Subcommand || option.type === OptionType.SubcommandGroup;

/** The way through the command's groups and sub-commands, and the options at its end. */
function followSteps(command: ApplicationCommand, steps: readonly string[]) {
  let definitions: readonly APIApplicationCommandOption[] = command.options ?? [];
  const path = steps.map((name) => {
    const step = definitions.find((option) => option.name === name);
    if (step === undefined || !isNested(step)) throw new Error(`/${command.name} has no sub-command ${name}`);
    definitions = step.options ?? [];
    return { name, type: step.type };
  });
  if (definitions.some(isNested)) throw new Error(`/${[command.name, ...steps].join(" ")} needs a sub-command`);
  return { path, definitions };
}

/** The filled options; while one is being typed (`focused`), the required ones may be missing. */
function fillOptions(
  world: World,
  at: Place,
  { name: commandName, options: given = {} }: CommandInput,
  definitions: readonly APIApplicationCommandOption[],
  focused: string | undefined,
  resolved: Resolved,
) {
  const stray = Object.keys(given).filter((name) => !definitions.some((option) => option.name === name));
  if (stray.length > 0) throw new Error(`/${commandName} has no option ${stray.join(", ")}`);
  const typing = focused !== undefined;
  return definitions.flatMap((definition) => {
    const { name, required } = definition;
    const value = given[name] ?? (name === focused ? "" : undefined);
    if (value === undefined) {
      if (required && !typing) throw new Error(`/${commandName}: option "${name}" is required`);
      return [];
    }
    const payload = optionPayload(world, at, definition, value, resolved, typing);
    return [name === focused ? { ...payload, value: String(value), focused: true } : payload];
  });
}

/**
 * What a person typed, checked as a Discord client checks it: throws a sentence for what the client would not send.
 * `focused` names the option that suggestions are asked for; without it the command is sent.
 */
export function typedCommand(
  world: World,
  at: Place,
  command: ApplicationCommand,
  input: CommandInput,
  focused?: string,
): TypedCommand {
  const steps = input.subcommand === undefined ? [] : input.subcommand.split(" ");
  const { path, definitions } = followSteps(command, steps);
  const resolved: Resolved = {};
  const filled = fillOptions(world, at, input, definitions, focused, resolved);
  const aimed = definitions.find(({ name }) => name === focused);
  if (focused !== undefined && !(aimed !== undefined && "autocomplete" in aimed && aimed.autocomplete)) {
    throw new Error(`/${input.name}: option "${focused}" offers no autocomplete`);
  }
  const options = path.reduceRight<unknown[]>((inner, step) => [{ ...step, options: inner }], filled);
  const data = {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(command.guild_id ? { guild_id: command.guild_id } : {}),
    ...(options.length > 0 ? { options } : {}),
    ...(Object.keys(resolved).length > 0 ? { resolved } : {}),
  };
  return { label: `/${[input.name, ...steps].join(" ")}`, focusedType: aimed?.type, data };
}
