import { type APIApplicationCommandOption, ApplicationCommandOptionType as Type } from "@discordjs/core";
import type { ApplicationCommand, Attachment } from "./model.ts";
import { type Place, type Resolved, resolveChannel, resolvedIn, resolveFile, resolveRole } from "./resolved.ts";
import type { World } from "./world.ts";

/** Channels and roles are given by their ids. */
export type OptionValue = string | number | boolean | Attachment;

export interface CommandInput {
  readonly guildId: string;
  readonly channelId: string;
  readonly name: string;
  /** `set`, or `group set`. */
  readonly subcommand?: string;
  readonly options?: Readonly<Record<string, OptionValue>>;
  /** Default: the person's own language. */
  readonly locale?: string;
  /** Sends it although the person may not use the command. */
  readonly force?: boolean;
}

type Nesting = Extract<APIApplicationCommandOption, { type: Type.Subcommand | Type.SubcommandGroup }>;

/** Which of these keys exist depends on the option's type. */
interface Rules {
  readonly min_length?: number;
  readonly max_length?: number;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly choices?: readonly { readonly value: string | number }[];
  readonly channel_types?: readonly number[];
}

const isNested = (option: APIApplicationCommandOption): option is Nesting =>
  option.type === Type.Subcommand || option.type === Type.SubcommandGroup;

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

/** Undefined if a Discord client would send the value. Adds the channel, role or file with this id to `into`. */
function refusedValue(
  world: World,
  at: Place,
  definition: APIApplicationCommandOption,
  value: unknown,
  into: Resolved,
) {
  const { min_length = 1, max_length = 6_000, min_value = -(2 ** 53), ...rules } = definition as unknown as Rules;
  const { max_value = 2 ** 53, choices = [] } = rules;
  if (choices.length > 0 && !choices.some((choice) => choice.value === value)) return `${value} is none of its choices`;
  switch (definition.type) {
    case Type.String:
      if (typeof value !== "string") return "it takes text";
      if (value.length >= min_length && value.length <= max_length) return undefined;
      return `its length is ${value.length}, not ${min_length} to ${max_length}`;
    case Type.Integer:
      if (!Number.isSafeInteger(value)) return "it takes a whole number";
      return Number(value) >= min_value && Number(value) <= max_value
        ? undefined
        : `${value} is not between ${min_value} and ${max_value}`;
    case Type.Boolean:
      return typeof value === "boolean" ? undefined : "it takes yes or no";
    case Type.Channel:
      return resolveChannel(at, String(value), into, rules.channel_types)
        ? undefined
        : `${value} is no channel that it takes`;
    case Type.Role:
      return resolveRole(at, String(value), into) ? undefined : `${value} is no role that it takes`;
    case Type.Attachment:
      return resolveFile(world, value, into) ? undefined : "it takes an uploaded file";
    default:
      return "its type is not simulated";
  }
}

/** While an option is being typed (`focused`), required ones may be missing. */
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
  return definitions.flatMap((definition) => {
    const { name, type, required } = definition;
    if (name === focused) return [{ name, type, value: String(given[name] ?? ""), focused: true }];
    const value = given[name];
    if (value === undefined) {
      if (required && focused === undefined) throw new Error(`/${commandName}: option "${name}" is required`);
      return [];
    }
    // Suggestions may be asked for while another text or number is unfinished.
    const isUnfinished = focused !== undefined && (type === Type.String || type === Type.Integer);
    const refused = isUnfinished ? undefined : refusedValue(world, at, definition, value, resolved);
    if (refused !== undefined) throw new Error(`Discord's client would not send option "${name}": ${refused}`);
    return [{ name, type, value: typeof value === "object" ? value.id : value }];
  });
}

/**
 * The data of the interaction. `focused` names the option that needs suggestions; without it, the command is sent.
 * Throws a sentence for a command that a Discord client would not send.
 */
export function typedCommand(
  world: World,
  at: Place,
  command: ApplicationCommand,
  input: CommandInput,
  focused?: string,
) {
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
    ...resolvedIn(resolved),
  };
  return { label: `/${[input.name, ...steps].join(" ")}`, focusedType: aimed?.type, data };
}
