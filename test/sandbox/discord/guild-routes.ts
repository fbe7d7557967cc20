import { apiChannel, apiGuild, apiMember, apiRole } from "./api-objects.ts";
import { apiErrors, invalidForm } from "./errors.ts";
import { SESSIONS_PER_DAY, type SessionStarts } from "./identify-limits.ts";
import type { GuildModel } from "./model.ts";
import { type ApiRequest, ok, type Route } from "./routes.ts";
import type { World } from "./world.ts";

/** Servers a page (docs: User, "Get Current User Guilds"). */
const MOST_GUILDS = 200;

/** The servers that the bot is in, by id; those in an outage among them. */
function guildsOfBot(world: World, query: URLSearchParams): object[] {
  const limit = Number(query.get("limit") ?? MOST_GUILDS);
  const after = query.get("after") ?? "0";
  const problem = (name: string, code: string, message: string) => invalidForm([{ path: [name], code, message }]);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_GUILDS) {
    throw problem("limit", "NUMBER_TYPE_MAX", `int value should be between 1 and ${MOST_GUILDS}.`);
  }
  if (!/^\d{1,20}$/.test(after)) throw problem("after", "NUMBER_TYPE_COERCE", `Value "${after}" is not snowflake.`);
  const there = [...world.guilds.values()].filter(({ id, present }) => present && BigInt(id) > BigInt(after));
  const byId = there.sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
  return byId.slice(0, limit).map(({ id, name }) => {
    return { id, name, icon: null, banner: null, owner: false, permissions: "0", features: [] };
  });
}

/** Gateway addresses, the bot itself, and servers as the bot's token reaches them. */
export function guildRoutes(
  world: World,
  gateway: {
    readonly url: () => string;
    readonly shards: number;
    readonly maxConcurrency: number;
    readonly sessionStarts: () => SessionStarts;
  },
): Route[] {
  const reach = (request: ApiRequest): GuildModel => {
    const guild = world.guilds.get(request.params.guildId ?? "");
    if (guild === undefined || !guild.present) throw apiErrors.unknownGuild();
    return guild;
  };
  const read = (path: string, handle: Route["handle"]): Route => ({
    method: "GET",
    path,
    auth: "bot",
    bucket: { limit: 50, windowMs: 1_000 },
    handle,
  });
  const application = () =>
    ok({
      id: world.bot.id,
      name: world.bot.username,
      icon: null,
      description: "",
      summary: "",
      type: null,
      bot: world.bot,
      bot_public: true,
      bot_require_code_grant: false,
      verify_key: "0".repeat(64),
      flags: 0,
      approximate_guild_count: [...world.guilds.values()].filter(({ present }) => present).length,
      integration_types_config: { 0: {} },
      owner: { id: "1", username: "team", discriminator: "0", global_name: null, avatar: null, public_flags: 0 },
      team: null,
    });

  return [
    { method: "GET", path: "/gateway", auth: "token", handle: () => ok({ url: gateway.url() }) },
    {
      method: "GET",
      path: "/gateway/bot",
      auth: "bot",
      handle: () =>
        ok({
          url: gateway.url(),
          shards: gateway.shards,
          session_start_limit: {
            total: SESSIONS_PER_DAY,
            remaining: gateway.sessionStarts().remaining,
            reset_after: gateway.sessionStarts().resetAfterMs,
            max_concurrency: gateway.maxConcurrency,
          },
        }),
    },
    read("/users/@me", () =>
      ok({ ...world.bot, verified: true, mfa_enabled: false, locale: "en-US", email: null, flags: 0 }),
    ),
    read("/users/@me/guilds", ({ query }) => ok(guildsOfBot(world, query))),
    read("/users/:userId", (request) => {
      const user = world.users.get(request.params.userId ?? "");
      if (user === undefined) throw apiErrors.unknownUser();
      return ok(user);
    }),
    read("/applications/@me", application),
    read("/oauth2/applications/@me", application),
    read("/guilds/:guildId", (request) => ok(apiGuild(reach(request)))),
    read("/guilds/:guildId/roles", (request) => ok(reach(request).roles.map(apiRole))),
    read("/guilds/:guildId/channels", (request) =>
      ok(
        reach(request)
          .channels.filter(({ deleted }) => !deleted)
          .map((channel) => apiChannel(channel)),
      ),
    ),
    read("/guilds/:guildId/members/:userId", (request) => {
      const guild = reach(request);
      const member = guild.members.find(({ user }) => user.id === request.params.userId);
      if (member === undefined) throw apiErrors.unknownMember();
      return ok(apiMember(guild, member));
    }),
  ];
}
