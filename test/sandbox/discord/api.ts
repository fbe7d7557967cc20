import { createBus } from "../bus.ts";
import { channelRoutes } from "./channel-routes.ts";
import { createCommands } from "./commands.ts";
import { guildRoutes } from "./guild-routes.ts";
import { interactionRoutes } from "./interaction-routes.ts";
import { createInteractions } from "./interactions.ts";
import type { Evidence, PretendEvents } from "./model.ts";
import { createPeople } from "./people.ts";
import { createRateLimits } from "./rate-limits.ts";
import { createRouteServer } from "./route-server.ts";
import { createWorld } from "./world.ts";

/** The simulated Discord without its sockets: everything that it keeps, its people, and its API. */
export function createApi(deps: {
  /** Epoch ms. */
  readonly now: () => number;
  readonly applicationId: string;
  readonly botName: string;
  readonly token: string;
  /** The origin of every file's URL. */
  readonly filesUrl: () => string;
  /** The answer to `GET /gateway/bot`. */
  readonly gatewayBot: () => object;
}) {
  const { now, token } = deps;
  const bus = createBus<PretendEvents>();
  const world = createWorld({ ...deps, bus });
  const commands = createCommands({ bus, world });
  const interactions = createInteractions({ now, bus, world });
  const evidence: Evidence = { requests: [], refusals: [], unknownKeys: [], frames: [], uploads: [] };
  const routes = [
    ...guildRoutes(world, deps.gatewayBot),
    ...channelRoutes(world, now),
    ...commands.routes,
    ...interactionRoutes({ now, bus, world, interactions }),
  ];
  return {
    bus,
    world,
    commands,
    interactions,
    evidence,
    people: createPeople({ bus, world, commands, interactions }),
    routes: createRouteServer({ token, limits: createRateLimits(now), evidence, routes }),
  };
}
