import { isDeepStrictEqual } from "node:util";
import { ApplicationCommandType } from "@discordjs/core";
import { commandProblems, type Definition } from "./command-limits.ts";
import { apiErrors, invalidForm, type Problem } from "./errors.ts";
import type { ApplicationCommand, DiscordBus } from "./model.ts";
import { type ApiRequest, ok, type Route } from "./routes.ts";
import { checkSpec } from "./spec.ts";
import type { World } from "./world.ts";

/** Type 1 is a role, 2 a person, 3 a channel. */
interface CommandOverride {
  readonly id: string;
  readonly type: 1 | 2 | 3;
  readonly permission: boolean;
}

const global = "global";
const schema = "ApplicationCommandUpdateRequestSchema";

/** Discord accepts the permission bits as a string or a number, and returns a string. Its specification has only a number. */
function asSpecified(command: unknown): unknown {
  if (typeof command !== "object" || command === null) return command;
  const { default_member_permissions: bits } = command as { default_member_permissions?: unknown };
  return typeof bits === "string" && /^\d+$/.test(bits)
    ? { ...command, default_member_permissions: Number(bits) }
    : command;
}

function published(definition: Definition, fixed: { id: string; application_id: string; guild_id?: string }) {
  const given = definition as Definition & Record<string, unknown>;
  const bits = given.default_member_permissions;
  return {
    ...fixed,
    type: given.type ?? ApplicationCommandType.ChatInput,
    name: given.name,
    name_localizations: given.name_localizations ?? null,
    description: given.description ?? "",
    description_localizations: given.description_localizations ?? null,
    ...(given.options ? { options: given.options } : {}),
    default_member_permissions: bits === undefined || bits === null ? null : String(bits),
    contexts: given.contexts ?? null,
    integration_types: given.integration_types ?? [0],
    nsfw: given.nsfw ?? false,
  };
}

function checkList(request: ApiRequest): readonly Definition[] {
  if (!Array.isArray(request.body)) {
    throw invalidForm([{ path: [], code: "LIST_TYPE_CONVERT", message: "Only iterables may be used in a ListType" }]);
  }
  const list: readonly unknown[] = request.body;
  const problems = list.flatMap((command, index): Problem[] =>
    checkSpec(schema, asSpecified(command)).problems.map((one) => ({ ...one, path: [index, ...one.path] })),
  );
  const definitions = list as readonly Definition[];
  const all = problems.length > 0 ? problems : commandProblems(definitions);
  if (all.length > 0) throw invalidForm(all);
  for (const command of list) request.check(schema, () => [], asSpecified(command));
  return definitions;
}

export type Commands = ReturnType<typeof createCommands>;

export function createCommands(deps: { bus: DiscordBus; world: World }) {
  const { bus, world } = deps;
  const scopes = new Map<string, ApplicationCommand[]>();
  const overrides = new Map<string, readonly CommandOverride[]>();

  function scopeOf({ params: { applicationId, guildId } }: ApiRequest): string {
    if (applicationId !== world.bot.id) throw apiErrors.unknownApplication();
    if (guildId !== undefined && !world.guilds.get(guildId)?.present) throw apiErrors.missingAccess();
    return guildId ?? global;
  }

  function put(request: ApiRequest) {
    const scope = scopeOf(request);
    const definitions = checkList(request);
    const before = scopes.get(scope) ?? [];
    const known = (definition: Definition) => before.find(({ name }) => name === definition.name);
    const { guildId } = request.params;
    const after = definitions.map((definition) => {
      const old = known(definition);
      const id = old?.id ?? world.nextId();
      const fixed = { id, application_id: world.bot.id, ...(guildId ? { guild_id: guildId } : {}) };
      const next = published(definition, fixed);
      const same = old !== undefined && isDeepStrictEqual({ ...old, version: "" }, { ...next, version: "" });
      return { ...next, version: same ? old.version : world.nextId() } as unknown as ApplicationCommand;
    });
    scopes.set(scope, after);
    bus.emit("commands", { guildId });
    return ok(after);
  }

  const get = (request: ApiRequest) => ok((scopes.get(scopeOf(request)) ?? []).map(withoutLocalizations));

  function getPermissions(request: ApiRequest) {
    const guildId = scopeOf(request);
    const own = [...overrides].filter(([key]) => key.startsWith(`${guildId} `));
    return ok(
      own.map(([key, permissions]) => ({
        id: key.slice(guildId.length + 1),
        application_id: world.bot.id,
        guild_id: guildId,
        permissions,
      })),
    );
  }

  const all = "/applications/:applicationId/commands";
  const ofGuild = "/applications/:applicationId/guilds/:guildId/commands";
  const route = (method: "GET" | "PUT", path: string, windowMs: number, handle: Route["handle"]): Route => ({
    method,
    path,
    auth: "bot",
    bucket: { limit: 50, windowMs },
    handle,
  });
  return {
    routes: [
      ...[all, ofGuild].flatMap((path) => [route("GET", path, 1_000, get), route("PUT", path, 20_000, put)]),
      route("GET", `${ofGuild}/permissions`, 1_000, getPermissions),
    ],
    list: (guildId = global): ApplicationCommand[] => scopes.get(guildId) ?? [],
    /** A command of the server comes before a global one. */
    find: (guildId: string, name: string): ApplicationCommand | undefined =>
      [...(scopes.get(guildId) ?? []), ...(scopes.get(global) ?? [])].find((command) => command.name === name),
    overrides: (guildId: string, commandId: string) => overrides.get(`${guildId} ${commandId}`) ?? [],
    setOverrides(guildId: string, commandId: string, list: readonly CommandOverride[]): void {
      overrides.set(`${guildId} ${commandId}`, list);
      const detail = { id: commandId, application_id: world.bot.id, guild_id: guildId, permissions: list };
      world.dispatch("APPLICATION_COMMAND_PERMISSIONS_UPDATE", detail, guildId);
    },
  };
}

function withoutLocalizations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLocalizations);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !key.endsWith("_localizations"));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutLocalizations(inner)]));
}
