import { type APIApplicationCommandOption, ApplicationCommandOptionType as Type } from "@discordjs/core";
import { apiChannel, apiInteractionMember, apiRole } from "./api-objects.ts";
import type { Attachment, ChannelModel, GuildModel } from "./model.ts";
import { permissionsIn } from "./permissions.ts";
import type { World } from "./world.ts";

/** What a person fills in for an option: text, number, yes or no, the id of a channel, role or person, or a file. */
export type OptionValue = string | number | boolean | Attachment;

/** Objects that an interaction refers to by id. */
export interface Resolved {
  users?: Record<string, unknown>;
  members?: Record<string, unknown>;
  roles?: Record<string, unknown>;
  channels?: Record<string, unknown>;
  attachments?: Record<string, unknown>;
}

/** Loosely typed view of an option's definition: which keys are there depends on its type. */
interface Rules {
  readonly min_length?: number;
  readonly max_length?: number;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly choices?: readonly { readonly name: string; readonly value: string | number }[];
  readonly channel_types?: readonly number[];
}

function refuse(name: string, why: string): never {
  throw new Error(`Discord's client would not send option "${name}": ${why}`);
}

function checkText(name: string, value: unknown, rules: Rules, typing: boolean): void {
  if (typeof value !== "string") refuse(name, "it takes text");
  if (typing) return;
  const { min_length: least = 0, max_length: most = 6_000, choices } = rules;
  if (value.length < least || value.length > most)
    refuse(name, `its length is ${value.length}, not ${least} to ${most}`);
  if (value === "") refuse(name, "it is empty");
  if (choices?.length && !choices.some((choice) => choice.value === value))
    refuse(name, `"${value}" is none of its choices`);
}

function checkNumber(name: string, value: unknown, rules: Rules, whole: boolean): void {
  if (typeof value !== "number" || (whole && !Number.isSafeInteger(value))) {
    refuse(name, whole ? "it takes a whole number" : "it takes a number");
  }
  const { min_value: least = -(2 ** 53), max_value: most = 2 ** 53, choices } = rules;
  if (value < least || value > most) refuse(name, `${value} is not between ${least} and ${most}`);
  if (choices?.length && !choices.some((choice) => choice.value === value))
    refuse(name, `${value} is none of its choices`);
}

/** Adds a person, with the membership, to what an interaction refers to. */
export function resolveUser(
  world: World,
  guild: GuildModel,
  channel: ChannelModel,
  id: string,
  into: Resolved,
): boolean {
  const member = guild.members.find(({ user }) => user.id === id);
  if (member === undefined) return false;
  const { user: _, ...bare } = apiInteractionMember(guild, member, channel);
  into.users = { ...into.users, [id]: world.users.get(id) };
  into.members = { ...into.members, [id]: bare };
  return true;
}

/** Adds a role to what an interaction refers to. */
export function resolveRole(guild: GuildModel, id: string, into: Resolved): boolean {
  const role = guild.roles.find((candidate) => candidate.id === id);
  if (role === undefined) return false;
  into.roles = { ...into.roles, [id]: apiRole(role) };
  return true;
}

/** Adds a channel, with the person's permissions there, to what an interaction refers to. */
export function resolveChannel(
  guild: GuildModel,
  userId: string,
  id: string,
  into: Resolved,
  types?: readonly number[],
): boolean {
  const channel = guild.channels.find((candidate) => candidate.id === id && !candidate.deleted);
  if (channel === undefined || (types?.length && !types.includes(channel.type))) return false;
  const { permission_overwrites: _, ...bare } = apiChannel(channel);
  into.channels = { ...into.channels, [id]: { ...bare, permissions: String(permissionsIn(guild, userId, channel)) } };
  return true;
}

/**
 * An option as an interaction carries it. Throws a sentence when a Discord client would not let a person send it.
 * `typing` (autocomplete) passes unfinished text.
 */
export function optionPayload(
  world: World,
  at: { guild: GuildModel; channel: ChannelModel; userId: string },
  definition: APIApplicationCommandOption,
  value: OptionValue,
  into: Resolved,
  typing: boolean,
): Record<string, unknown> {
  const { name, type } = definition;
  const rules = definition as unknown as Rules;
  const id = String(value);
  const known = (found: boolean, what: string) => found || refuse(name, `${id} is no ${what} that it takes`);
  switch (type) {
    case Type.String:
      checkText(name, value, rules, typing);
      break;
    case Type.Integer:
    case Type.Number:
      if (!typing) checkNumber(name, value, rules, type === Type.Integer);
      break;
    case Type.Boolean:
      if (typeof value !== "boolean") refuse(name, "it takes yes or no");
      break;
    case Type.Channel:
      known(resolveChannel(at.guild, at.userId, id, into, rules.channel_types), "channel");
      break;
    case Type.Role:
      known(resolveRole(at.guild, id, into), "role");
      break;
    case Type.User:
      known(resolveUser(world, at.guild, at.channel, id, into), "person");
      break;
    case Type.Mentionable:
      known(resolveUser(world, at.guild, at.channel, id, into) || resolveRole(at.guild, id, into), "person or role");
      break;
    case Type.Attachment: {
      if (typeof value !== "object" || !world.attachments.has(value.id))
        return refuse(name, "it takes an uploaded file");
      into.attachments = { ...into.attachments, [value.id]: { ...value, ephemeral: true } };
      return { name, type, value: value.id };
    }
    default:
      refuse(name, "it is no option to fill in");
  }
  return { name, type, value };
}
