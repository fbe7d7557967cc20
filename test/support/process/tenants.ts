import { textOf } from "../../sandbox/discord/discord.ts";
import type { Shop } from "../../sandbox/store/start-store.ts";
import { timesShown } from "./shown-orders.ts";
import { connectStore, setAlerts, type World } from "./world.ts";

/** The world as one of several servers sees it, with the server's own shop. */
export interface Tenant extends World {
  readonly shop: Shop;
}

export async function settleTenant(world: World): Promise<Tenant> {
  const tenant = { ...world, guild: world.discord.addGuild(), shop: world.store.addShop() };
  await connectStore(tenant, tenant.shop.token);
  const answer = await setAlerts(tenant);
  if (!answer.includes("✅")) throw new Error(`alerts could not be turned on: ${answer}`);
  return tenant;
}

export async function settleTenants(world: World, count: number): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  while (tenants.length < count) tenants.push(await settleTenant(world));
  return tenants;
}

/** Returns the ids of the orders. */
export const placeIn = ({ shop }: Tenant, count: number): string[] => shop.placeOrders(count).map(({ id }) => id);

/** When the tenant's order list was read (epoch ms). */
const pollsOf = ({ store, shop }: Tenant): number[] =>
  store.requests.filter(({ token, page }) => token === shop.token && page !== undefined).map(({ at }) => at);

/** The longest time (ms) between two polls of any tenant. `from`: epoch ms. */
export function longestSilence(tenants: readonly Tenant[], from: number): number {
  const until = Date.now();
  const silences = tenants.map((tenant) => {
    const polls = pollsOf(tenant).filter((at) => at > from && at < until);
    const moments = [from, ...polls, until];
    return Math.max(...moments.slice(1).map((at, index) => at - (moments[index] ?? at)));
  });
  return Math.max(...silences);
}

/** Counts orders that are in no message, and orders that are in several. */
export function countRings(placed: ReadonlyMap<Tenant, readonly string[]>): { lost: number; doubled: number } {
  const times = [...placed].flatMap(([tenant, ids]) => timesShown(tenant, ids));
  return { lost: times.filter((count) => count === 0).length, doubled: times.filter((count) => count > 1).length };
}

export function allRing(
  { discord }: World,
  placed: ReadonlyMap<Tenant, readonly string[]>,
  deadlineMs?: number,
): Promise<true> {
  // Each look reads a channel once for all its orders, because there may be thousands.
  const missing = new Map([...placed].map(([tenant, ids]) => [tenant, new Set(ids)]));
  const look = () => {
    for (const [tenant, ids] of missing) {
      const text = tenant.discord.messages(tenant.guild.channel("new-orders")).map(textOf).join("\n");
      for (const id of ids) if (text.includes(id.slice(0, 8))) ids.delete(id);
      if (ids.size === 0) missing.delete(tenant);
    }
    return missing.size === 0 ? true : undefined;
  };
  return discord.waitFor(look, "all orders in their channels", deadlineMs);
}
