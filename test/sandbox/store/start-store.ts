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
 * A simulated store on loopback, which follows the Store Open API document strictly. It starts with one shop. Others have the
 * same address.
 */
export type PretendStore = Awaited<ReturnType<typeof startStore>>;

interface StoreEvents {
  arrival: undefined;
  /** A request was answered or dropped. */
  request: undefined;
  /** Orders or products changed. */
  change: undefined;
}

/** People see a token's end in Discord. Hexadecimal digits have no meaning in its markdown. */
const newToken = () => `store_${randomBytes(24).toString("hex")}`;

/** Starts on 127.0.0.1, without orders and products. `now` (epoch ms) dates answers, new orders and new products. */
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
    /** Without `/open-api`. */
    url: `http://${origin}`,
    /** Requests of all shops. */
    requests: requests as readonly SeenRequest[],
    /** Includes the first shop. */
    shops: shops as readonly Shop[],
    addShop(): Shop {
      const shop = createShop(newToken(), now, changed);
      shops.push(shop);
      return shop;
    },
    /** Returns a function that removes the rule. */
    fail: faults.add,
    /** Forgets requests before this time (epoch ms), for programs that run for hours. */
    forget(before: number): void {
      const kept = requests.findIndex(({ at }) => at >= before);
      requests.splice(0, kept === -1 ? requests.length : kept);
    },
    /** Stops listening and cuts every connection. */
    down,
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
