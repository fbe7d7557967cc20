import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { createBus } from "../bus.ts";
import { refusedRequest } from "../guard.ts";
import { listen, stop } from "../listen.ts";
import { createRules } from "../rules.ts";
import { type FaultRule, respond, type SeenRequest } from "./faults.ts";
import { openApi, pageOf, tokenOf } from "./open-api.ts";
import { createShop, type Shop } from "./shop.ts";

export { categories } from "./catalog.ts";
export { crowdedPage } from "./crowded-page.ts";
export { firewallPage, type SeenRequest } from "./faults.ts";
export type { StoredOrder } from "./shapes.ts";
export type { Shop } from "./shop.ts";

/**
 * A simulated store service on loopback, which follows the Store Open API document strictly. It starts with one shop. Further
 * shops have the same address.
 */
export type PretendStore = Awaited<ReturnType<typeof startStore>>;

/** The events of the simulated store. */
interface StoreEvents {
  /** A request arrived. */
  arrival: undefined;
  /** A request was answered or dropped. */
  request: undefined;
  /** Orders or products changed. */
  change: undefined;
}

/** People see a token's last characters. They have no meaning in Discord's markdown, because they are hexadecimal digits. */
const newToken = () => `store_${randomBytes(24).toString("hex")}`;

/**
 * Starts a pretend store on 127.0.0.1, without orders and products.
 *
 * @param options `now`: its clock (epoch ms), for the dates of answers and the times of new orders and products
 */
export async function startStore(options: { token?: string; now?: () => number } = {}) {
  const { now = Date.now } = options;
  const requests: SeenRequest[] = [];
  const faults = createRules<SeenRequest, FaultRule>();
  const bus = createBus<StoreEvents>();
  const changed = () => bus.emit("change", undefined);
  const first = createShop(options.token ?? newToken(), now, changed);
  const shops: Shop[] = [first];
  const shopOf = (token = "") => shops.find(({ tokens }) => tokens.has(token));

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const refused = refusedRequest(incoming, "programs");
    if (refused !== undefined) {
      response.writeHead(403, { "content-type": "text/plain", connection: "close" }).end(`Refused: ${refused}.`);
      return;
    }
    const seen = seenIn(incoming);
    requests.push(seen);
    bus.emit("arrival", undefined);
    response.once("close", () => {
      seen.isOpen = false;
      bus.emit("request", undefined);
    });
    const body = await text(incoming);
    response.setHeader("date", new Date(now()).toUTCString());
    await respond(response, seen, faults.take(seen), () => {
      const shop = shopOf(seen.token);
      return openApi(shop, seen, body, incoming.headers["content-type"], changed);
    });
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  const origin = await listen(server);
  const down = async (): Promise<void> => {
    if (server.listening) await stop(server);
  };

  return Object.assign(first, {
    /** The base URL, without `/open-api`. */
    url: `http://${origin}`,
    /** The requests of all shops. */
    requests: requests as readonly SeenRequest[],
    /** All shops, with the first one. */
    shops: shops as readonly Shop[],
    /** Adds a shop at the same address, with its own orders, products and settings. */
    addShop(token = newToken()): Shop {
      if (shopOf(token) !== undefined) throw new Error("another shop has this token");
      const shop = createShop(token, now, changed);
      shops.push(shop);
      return shop;
    },
    /** Adds a rule. Returns a function that removes it. */
    fail: faults.add,
    /** Forgets the requests before this time (epoch ms), for programs that run for hours. */
    forget(before: number): void {
      const kept = requests.findIndex(({ at }) => at >= before);
      requests.splice(0, kept === -1 ? requests.length : kept);
    },
    /** Stops listening and cuts every connection. */
    down,
    /** Listens again, on the same port. */
    async up(): Promise<void> {
      if (!server.listening) await listen(server, Number(new URL(`http://${origin}`).port));
    },
    on: bus.on,
    waitFor: bus.waitFor,
    close: down,
  });
}

function seenIn(incoming: IncomingMessage): SeenRequest {
  const url = new URL(incoming.url ?? "/", "http://store");
  const { authorization } = incoming.headers;
  const asked = { path: url.pathname, query: Object.fromEntries(url.searchParams) };
  const token = tokenOf(authorization);
  const page = pageOf(asked);
  return {
    method: incoming.method ?? "",
    ...asked,
    at: Date.now(),
    status: 0,
    isOpen: true,
    ...(authorization === undefined ? {} : { authorization }),
    ...(token === undefined ? {} : { token }),
    ...(page === undefined ? {} : { page }),
  };
}
