import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { refusedRequest } from "../guard.ts";
import { createFaults, type FaultRule, respond, type SeenRequest } from "./faults.ts";
import { openApi, pageOf, tokenOf } from "./open-api.ts";
import type { ParamNames } from "./shapes.ts";
import { createShop, type Shop, type ShopModel } from "./shop.ts";

export { categories } from "./catalog.ts";
export { crowdedPage } from "./crowded-page.ts";
export { type FaultRule, firewallPage, type SeenRequest } from "./faults.ts";
export type { ParamNames, StoredOrder } from "./shapes.ts";
export type { Shop } from "./shop.ts";

/**
 * A store service on loopback that follows the Store Open API document strictly and can be told to misbehave. It is one
 * shop at first, and one address for all that are added.
 */
export interface PretendStore extends Shop {
  /** The base URL, without `/open-api`. */
  readonly url: string;
  /** Those of all shops. */
  readonly requests: readonly SeenRequest[];
  /** Of all shops; may be changed at any time. */
  readonly paramNames: ParamNames;
  /** All of them, the first one among them. */
  readonly shops: readonly Shop[];
  /** Another shop behind the same address, with orders, products and ways of its own. */
  addShop(token?: string): Shop;
  /** Adds a rule; the returned function takes it away. */
  fail(rule: FaultRule): () => void;
  /** Forgets the requests that came before, in epoch ms, for runs of hours. */
  forget(before: number): void;
  /** Stops listening and cuts every connection. */
  down(): Promise<void>;
  /** Listens again, on the same port. */
  up(): Promise<void>;
  /** `request` after each request was answered or dropped, `change` after orders or products changed. */
  on(event: "request" | "change", listener: () => void): void;
  off(event: "request" | "change", listener: () => void): void;
  /** What `find` returns, as soon as it is neither `undefined` nor `false`; throws after the deadline, saying `what`. */
  waitFor<T>(find: () => T | undefined | false, what: string, deadlineMs?: number): Promise<T>;
  close(): Promise<void>;
}

/** Its last characters are shown to people: none of these is one that Discord would format. */
const newToken = () => `store_${randomBytes(24).toString("hex")}`;

/**
 * Starts a pretend store on 127.0.0.1, without orders and products.
 *
 * @param options `now`: its clock, epoch ms, by which answers are dated and what is new was created
 */
export async function startStore(
  options: { port?: number; token?: string; params?: Partial<ParamNames>; now?: () => number } = {},
): Promise<PretendStore> {
  const { now = Date.now } = options;
  const requests: SeenRequest[] = [];
  const faults = createFaults();
  const events = new EventEmitter().setMaxListeners(0);
  const changed = () => void events.emit("change");
  const paramNames: ParamNames = { page: "page", limit: "limit", email: "email", status: "status", ...options.params };
  const first = createShop(options.token ?? newToken(), now, changed);
  const shops: ShopModel[] = [first];
  const shopOf = (token = "") => shops.find(({ tokens }) => tokens.has(token));

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const refused = refusedRequest(incoming, "programs");
    if (refused !== undefined) {
      response.writeHead(403, { "content-type": "text/plain", connection: "close" }).end(`Refused: ${refused}.`);
      return;
    }
    const seen = seenIn(incoming, paramNames);
    requests.push(seen);
    events.emit("arrival");
    response.once("close", () => {
      seen.isOpen = false;
      events.emit("request");
    });
    const body = await text(incoming);
    response.setHeader("date", new Date(now()).toUTCString());
    await respond(response, seen, faults.take(seen), () => {
      const shop = shopOf(seen.token);
      return openApi({ shop, paramNames }, seen, body, incoming.headers["content-type"], changed);
    });
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const down = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const port = await listen(options.port ?? 0);

  return Object.assign(first, {
    url: `http://127.0.0.1:${port}`,
    requests,
    paramNames,
    shops,
    addShop(token = newToken()) {
      if (shopOf(token) !== undefined) throw new Error("another shop has this token");
      const shop = createShop(token, now, changed);
      shops.push(shop);
      return shop;
    },
    fail: faults.add,
    forget(before: number) {
      const kept = requests.findIndex(({ at }) => at >= before);
      requests.splice(0, kept === -1 ? requests.length : kept);
    },
    down,
    async up() {
      if (!server.listening) await listen(port);
    },
    on: (event: string, listener: () => void) => void events.on(event, listener),
    off: (event: string, listener: () => void) => void events.off(event, listener),
    waitFor: waiting(events),
    close: down,
  });
}

function seenIn(incoming: IncomingMessage, paramNames: ParamNames): SeenRequest {
  const url = new URL(incoming.url ?? "/", "http://store");
  const { authorization } = incoming.headers;
  const asked = { path: url.pathname, query: Object.fromEntries(url.searchParams) };
  const token = tokenOf(authorization);
  const page = pageOf(asked, paramNames);
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

function waiting(events: EventEmitter): PretendStore["waitFor"] {
  const occasions = ["arrival", "request", "change"];
  return (find, what, deadlineMs = 30_000) =>
    new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        for (const occasion of occasions) events.off(occasion, look);
      };
      const look = () => {
        const found = find();
        if (found === undefined || found === false) return;
        end();
        resolve(found);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`the pretend store saw no ${what} within ${deadlineMs} ms`));
      }, deadlineMs);
      for (const occasion of occasions) events.on(occasion, look);
      look();
    });
}
