import { isDeepStrictEqual } from "node:util";
import { ApplicationCommandType } from "@discordjs/core";
import type { Bus } from "./bus.ts";
import { commandProblems, type Definition } from "./command-limits.ts";
import { apiErrors, invalidForm, type Problem } from "./errors.ts";
import type { ApplicationCommand } from "./model.ts";
import { type ApiRequest, ok, type Route } from "./routes.ts";
import { checkSpec } from "./spec.ts";
import type { World } from "./world.ts";

/** Who may use a command in a server, as its settings there say (1 a role, 2 a person, 3 a channel). */
export interface CommandOverride {
  readonly id: string;
  readonly type: 1 | 2 | 3;
  readonly permission: boolean;
}

/** The published commands. */
export interface Commands {
  readonly routes: Route[];
  /** The global ones, or those of one server alone. */
  list(guildId?: string): ApplicationCommand[];
  /** The one that people of a server see under this name: its own before the global one. */
  find(guildId: string, name: string): ApplicationCommand | undefined;
  overrides(guildId: string, commandId: string): readonly CommandOverride[];
  setOverrides(guildId: string, commandId: string, overrides: readonly CommandOverride[]): void;
}

const DAY_MS = 24 * 3_600_000;
/** Docs: Application Commands, "Limits". */
const CREATES_PER_DAY = 200;

/** Discord takes the permission bits as a string or a number and answers a string; its specification names the number. */
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
    dm_permission: given.dm_permission ?? true,
    contexts: given.contexts ?? null,
    integration_types: given.integration_types ?? [0],
    nsfw: given.nsfw ?? false,
  };
}

/** The list in a request; throws with all that Discord would refuse in it. */
function checkList(request: ApiRequest): readonly Definition[] {
  const list: readonly unknown[] = Array.isArray(request.body) ? request.body : [];
  const schema = "ApplicationCommandUpdateRequestSchema";
  const problems = list.flatMap((command, index): Problem[] =>
    checkSpec(schema, asSpecified(command)).problems.map((problem) => ({
      ...problem,
      path: [index, ...problem.path],
    })),
  );
  if (!Array.isArray(request.body)) {
    problems.push({ path: [], code: "LIST_TYPE_CONVERT", message: "Only iterables may be used in a ListType" });
  }
  const definitions = list as readonly Definition[];
  const all = problems.length > 0 ? problems : commandProblems(definitions);
  if (all.length > 0) throw invalidForm(all);
  for (const command of list) request.check(schema, () => [], asSpecified(command));
  return definitions;
}

export function createCommands(deps: { now: () => number; bus: Bus; world: World }): Commands {
  const { now, bus, world } = deps;
  const scopes = new Map<string, ApplicationCommand[]>();
  const creates = new Map<string, number[]>();
  const overrides = new Map<string, readonly CommandOverride[]>();
  const GLOBAL = "global";

  const put = (request: ApiRequest) => {
    ownApplication(request);
    const guildId = request.params.guildId;
    if (guildId !== undefined) presentGuild(guildId);
    const scope = guildId ?? GLOBAL;
    const definitions = checkList(request);
    const before = scopes.get(scope) ?? [];
    const known = (definition: Definition) =>
      before.find(
        ({ name, type }) => name === definition.name && type === (definition.type ?? ApplicationCommandType.ChatInput),
      );
    const fresh = definitions.filter((definition) => known(definition) === undefined).length;
    const today = (creates.get(scope) ?? []).filter((at) => at > now() - DAY_MS);
    if (today.length + fresh > CREATES_PER_DAY) throw apiErrors.dailyCommandCreates();
    creates.set(scope, [...today, ...Array.from({ length: fresh }, now)]);
    const after = definitions.map((definition) => {
      const old = known(definition);
      const fixed = {
        id: old?.id ?? world.nextId(),
        application_id: world.bot.id,
        ...(guildId ? { guild_id: guildId } : {}),
      };
      const next = published(definition, fixed);
      const same = old !== undefined && isDeepStrictEqual({ ...old, version: "" }, { ...next, version: "" });
      return { ...next, version: same ? old.version : world.nextId() } as unknown as ApplicationCommand;
    });
    scopes.set(scope, after);
    bus.emit("commands", { guildId });
    return ok(after);
  };

  const ownApplication = (request: ApiRequest) => {
    if (request.params.applicationId !== world.bot.id) throw apiErrors.unknownApplication();
  };
  const presentGuild = (guildId: string) => {
    if (!world.guilds.get(guildId)?.present) throw apiErrors.missingAccess();
  };
  const get = (request: ApiRequest) => {
    ownApplication(request);
    const { guildId } = request.params;
    if (guildId !== undefined) presentGuild(guildId);
    const localized = request.query.get("with_localizations") === "true";
    const list = scopes.get(guildId ?? GLOBAL) ?? [];
    return ok(localized ? list : list.map((command) => withoutLocalizations(command)));
  };

  const routes: Route[] = [
    "/applications/:applicationId/commands",
    "/applications/:applicationId/guilds/:guildId/commands",
  ].flatMap((path): Route[] => [
    { method: "GET", path, auth: "bot", bucket: { limit: 50, windowMs: 1_000 }, handle: get },
    { method: "PUT", path, auth: "bot", bucket: { limit: 50, windowMs: 20_000 }, handle: put },
  ]);
  routes.push({
    method: "GET",
    path: "/applications/:applicationId/guilds/:guildId/commands/permissions",
    auth: "bot",
    bucket: { limit: 50, windowMs: 1_000 },
    handle: (request) => {
      ownApplication(request);
      const guildId = request.params.guildId ?? "";
      presentGuild(guildId);
      const own = [...overrides].filter(([key]) => key.startsWith(`${guildId} `));
      return ok(
        own.map(([key, permissions]) => ({
          id: key.slice(guildId.length + 1),
          application_id: world.bot.id,
          guild_id: guildId,
          permissions,
        })),
      );
    },
  });

  return {
    routes,
    list: (guildId) => scopes.get(guildId ?? GLOBAL) ?? [],
    find: (guildId, name) =>
      [...(scopes.get(guildId) ?? []), ...(scopes.get(GLOBAL) ?? [])].find((command) => command.name === name),
    overrides: (guildId, commandId) => overrides.get(`${guildId} ${commandId}`) ?? [],
    setOverrides(guildId, commandId, list) {
      overrides.set(`${guildId} ${commandId}`, list);
      const detail = { id: commandId, application_id: world.bot.id, guild_id: guildId, permissions: list };
      world.dispatch("APPLICATION_COMMAND_PERMISSIONS_UPDATE", detail, guildId, 0);
    },
  };
}

function withoutLocalizations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLocalizations);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key]) => key !== "name_localizations" && key !== "description_localizations",
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutLocalizations(inner)]));
}
