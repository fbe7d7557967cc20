import { textOf } from "../sandbox/discord/discord.ts";
import type { Shop } from "../sandbox/store/start-store.ts";
import { timesShown } from "./shown-orders.ts";
import { connectStore, setAlerts, type World } from "./world.ts";

/** The world as one server of several sees it, and the server's own shop. */
export interface Tenant extends World {
  readonly shop: Shop;
}

/** A server with alerts on in a channel of its own, and a shop, set up by commands. */
export async function settleTenant(world: World): Promise<Tenant> {
  const tenant = { ...world, guild: world.discord.addGuild(), shop: world.store.addShop() };
  await connectStore(tenant, tenant.shop.token);
  const answer = await setAlerts(tenant);
  if (!answer.includes("✅")) throw new Error(`alerts could not be turned on: ${answer}`);
  return tenant;
}

/** So many of them, one after another. */
export async function settleTenants(world: World, count: number): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  while (tenants.length < count) tenants.push(await settleTenant(world));
  return tenants;
}

/** Places orders in a tenant's shop; gives their ids. */
export const placeIn = ({ shop }: Tenant, count: number): string[] => shop.placeOrders(count).map(({ id }) => id);

/** When the tenant's order list was read, epoch ms. */
const pollsOf = ({ store, shop }: Tenant): number[] =>
  store.requests.filter(({ token, page }) => token === shop.token && page !== undefined).map(({ at }) => at);

/** The longest time between two polls of any tenant from `from` to `until` (epoch ms), in ms. */
export function longestSilence(tenants: readonly Tenant[], from: number, until = Date.now()): number {
  const silences = tenants.map((tenant) => {
    const polls = pollsOf(tenant).filter((at) => at > from && at < until);
    const moments = [from, ...polls, until];
    return Math.max(...moments.slice(1).map((at, index) => at - (moments[index] ?? at)));
  });
  return Math.max(...silences);
}

/** What became of orders by tenant. */
export function countRings(placed: ReadonlyMap<Tenant, readonly string[]>): { lost: number; doubled: number } {
  const times = [...placed].flatMap(([tenant, ids]) => timesShown(tenant, ids));
  return { lost: times.filter((count) => count === 0).length, doubled: times.filter((count) => count > 1).length };
}

/** Waits until every order stands in its tenant's channel. */
export function allRing(
  { discord }: World,
  placed: ReadonlyMap<Tenant, readonly string[]>,
  deadlineMs?: number,
): Promise<true> {
  // Each message is read once, however many come: there may be thousands of orders.
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
