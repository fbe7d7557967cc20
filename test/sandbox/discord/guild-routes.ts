import { apiChannel, apiGuild, apiMember, apiRole } from "./api-objects.ts";
import { apiErrors, invalidForm } from "./errors.ts";
import type { GuildModel } from "./model.ts";
import { type ApiRequest, ok, type Route } from "./routes.ts";
import type { World } from "./world.ts";

/** Maximum number of servers per page (docs: User, "Get Current User Guilds"). */
const mostGuilds = 200;

/** Sorted by id. A server with an outage is among them. */
function guildsOfBot(world: World, query: URLSearchParams): object[] {
  const limit = Number(query.get("limit") ?? mostGuilds);
  const after = query.get("after") ?? "0";
  if (!Number.isInteger(limit) || limit < 1 || limit > mostGuilds) {
    const message = `int value should be between 1 and ${mostGuilds}.`;
    throw invalidForm([{ path: ["limit"], code: "NUMBER_TYPE_MAX", message }]);
  }
  const there = [...world.guilds.values()].filter(({ id, present }) => present && BigInt(id) > BigInt(after));
  const byId = there.sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
  return byId.slice(0, limit).map(({ id, name }) => ({ id, name, owner: false, permissions: "0", features: [] }));
}

export function guildRoutes(world: World, gatewayBot: () => object): Route[] {
  const reach = (request: ApiRequest): GuildModel => {
    const guild = world.guilds.get(request.params.guildId ?? "");
    if (!guild?.present) throw apiErrors.unknownGuild();
    return guild;
  };
  const read = (path: string, answer: (request: ApiRequest) => unknown): Route => ({
    method: "GET",
    path,
    auth: "bot",
    bucket: { limit: 50, windowMs: 1_000 },
    handle: (request) => ok(answer(request)),
  });
  const { bot } = world;
  return [
    { method: "GET", path: "/gateway/bot", auth: "bot", handle: () => ok(gatewayBot()) },
    read("/users/@me", () => bot),
    read("/users/@me/guilds", ({ query }) => guildsOfBot(world, query)),
    read("/applications/@me", () => ({ id: bot.id, name: bot.username, bot, bot_require_code_grant: false, flags: 0 })),
    read("/guilds/:guildId", (request) => apiGuild(reach(request))),
    read("/guilds/:guildId/roles", (request) => reach(request).roles.map(apiRole)),
    read("/guilds/:guildId/channels", (request) =>
      reach(request)
        .channels.filter(({ deleted }) => !deleted)
        .map((channel) => apiChannel(channel)),
    ),
    read("/guilds/:guildId/members/:userId", (request) => {
      const guild = reach(request);
      const member = guild.members.find(({ user }) => user.id === request.params.userId);
      if (member === undefined) throw apiErrors.unknownMember();
      return apiMember(guild, member);
    }),
  ];
}
