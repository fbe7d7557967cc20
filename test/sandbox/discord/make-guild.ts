import { type APIUser, ChannelType, PermissionFlagsBits } from "@discordjs/core";
import { apiUser } from "./api-objects.ts";
import type { ChannelModel, GuildModel, GuildSpec, MemberModel, RoleModel } from "./model.ts";
import { EVERYONE_PERMISSIONS } from "./permissions.ts";

/** Parts that the specification may lack. */
interface Making {
  readonly id: string;
  readonly name: string;
  /** When the bot joined (epoch ms). */
  readonly joinedAt: number;
  readonly bot: APIUser;
  readonly nextId: () => string;
  /** Keys are user ids. People of this server are added if they are missing. */
  readonly users: Map<string, APIUser>;
}

const DEFAULT_PEOPLE: NonNullable<GuildSpec["people"]> = [
  { name: "owner" },
  { name: "staff", roles: ["Staff"] },
  { name: "helper", roles: ["Helpers"] },
  { name: "member" },
];
const DEFAULT_ROLES: NonNullable<GuildSpec["roles"]> = [
  { name: "Staff", permissions: PermissionFlagsBits.ManageGuild },
  { name: "Helpers" },
];

function byName(things: readonly { id: string; name: string }[], what: string) {
  return (name: string) => {
    const thing = things.find((candidate) => candidate.name === name);
    if (thing === undefined) throw new Error(`no ${what} called ${name} here`);
    return thing.id;
  };
}

/** From the lowest role: @everyone, whose id is the server's id; the bot's own role; the roles of the specification. */
function makeRoles(spec: GuildSpec, { id, bot, nextId }: Making): { botRole: RoleModel; roles: RoleModel[] } {
  const named = spec.roles ?? DEFAULT_ROLES;
  const everyone: RoleModel = {
    id,
    name: "@everyone",
    permissions: EVERYONE_PERMISSIONS,
    mentionable: false,
    position: 0,
    managed: false,
  };
  const botRole: RoleModel = {
    ...everyone,
    id: nextId(),
    name: bot.username,
    permissions: 0n,
    position: 1,
    managed: true,
  };
  const others = named.map(({ name, id: roleId = nextId(), permissions = 0n, mentionable = true }, index) => ({
    id: roleId,
    name,
    permissions,
    mentionable,
    position: index + 2,
    managed: false,
  }));
  return { botRole, roles: [everyone, botRole, ...others] };
}

function makePeople(spec: GuildSpec, { nextId, users }: Making, role: (name: string) => string): MemberModel[] {
  return (spec.people ?? DEFAULT_PEOPLE).map(({ name, id = nextId(), roles = [], locale = "en-US" }) => {
    const user = users.get(id) ?? apiUser(id, name);
    users.set(user.id, user);
    return { user, locale, roles: roles.map(role) };
  });
}

function makeChannels(spec: GuildSpec, { id: guildId, nextId }: Making): ChannelModel[] {
  return (spec.channels ?? ["new-orders", "staff"]).map((channel, position) => ({
    ...(typeof channel === "string" ? { id: nextId(), name: channel } : channel),
    type: ChannelType.GuildText,
    guildId,
    position,
    overwrites: [],
    deleted: false,
  }));
}

/** Throws if the server has no owner. */
export function makeGuild(spec: GuildSpec, making: Making): GuildModel {
  const { botRole, roles } = makeRoles(spec, making);
  const role = byName(roles, "role");
  const people = makePeople(spec, making, role);
  const ownerId = people[0]?.user.id;
  if (ownerId === undefined) throw new Error("a server needs an owner: the first of its people");
  const members = [...people, { user: making.bot, locale: "en-US", roles: [botRole.id] }];
  const channels = makeChannels(spec, making);
  return {
    id: making.id,
    name: spec.name ?? making.name,
    ownerId,
    locale: spec.locale ?? "en-US",
    joinedAt: spec.joinedAt ?? making.joinedAt,
    systemChannelId: channels.find(({ name }) => name === spec.systemChannel)?.id ?? null,
    channels,
    roles,
    members,
    unavailable: false,
    present: true,
    channel: byName(channels, "channel"),
    role,
    person: byName(
      members.map(({ user }) => ({ id: user.id, name: user.username })),
      "person",
    ),
  };
}
