import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { makeOrder, makeProduct } from "./catalog.ts";
import { createFaults, type FaultRule, respond, type SeenRequest } from "./faults.ts";
import { openApi } from "./open-api.ts";
import { createOrderBook } from "./order-book.ts";
import type { Honours, Ordering, ParamNames, StoredOrder, StoredProduct } from "./shapes.ts";

export { categories } from "./catalog.ts";
export type { FaultRule, SeenRequest } from "./faults.ts";
export type { Honours, Ordering, ParamNames, StoredOrder, StoredProduct } from "./shapes.ts";

/** A store on loopback that follows the Store Open API document strictly and can be told to misbehave. */
export interface PretendStore {
  /** The base URL, without `/open-api`. */
  readonly url: string;
  /** The token that is valid now. */
  readonly token: string;
  /** In the sequence of their arrival. Change them with the functions below. */
  readonly orders: readonly StoredOrder[];
  readonly products: readonly StoredProduct[];
  readonly requests: readonly SeenRequest[];
  /** May be changed at any time, as `honours` and `paramNames`. */
  ordering: Ordering;
  readonly honours: Honours;
  readonly paramNames: ParamNames;
  placeOrder(partial?: Partial<StoredOrder>): StoredOrder;
  placeOrders(count: number, make?: (index: number) => Partial<StoredOrder>): StoredOrder[];
  setStatus(id: string, status: string): void;
  seedProducts(count: number): StoredProduct[];
  addProduct(partial?: Partial<StoredProduct>): StoredProduct;
  /** From now on `token` is the only valid one. */
  rotateToken(token: string): void;
  /** Another token for the same store, beside the present ones. */
  allowToken(token: string): void;
  /** Adds a rule; the returned function takes it away. */
  fail(rule: FaultRule): () => void;
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

/** Starts a pretend store on 127.0.0.1, without orders and products. */
export async function startStore(
  options: { port?: number; token?: string; params?: Partial<ParamNames> } = {},
): Promise<PretendStore> {
  const book = createOrderBook();
  const products: StoredProduct[] = [];
  const requests: SeenRequest[] = [];
  const faults = createFaults();
  const events = new EventEmitter().setMaxListeners(0);
  const tokens = new Set([options.token ?? `store_${randomBytes(24).toString("base64url")}`]);
  const honours: Honours = { status: true, email: true, limit: true };
  const paramNames: ParamNames = { page: "page", limit: "limit", email: "email", status: "status", ...options.params };
  let ordering: Ordering = "newest-first";
  const changed = () => void events.emit("change");

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const url = new URL(incoming.url ?? "/", "http://store");
    const { authorization } = incoming.headers;
    const seen: SeenRequest = {
      method: incoming.method ?? "",
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      at: Date.now(),
      status: 0,
      ...(authorization === undefined ? {} : { authorization }),
    };
    requests.push(seen);
    events.emit("arrival");
    response.once("close", () => events.emit("request"));
    const body = await text(incoming);
    const state = { book, products, tokens, ordering, honours, paramNames };
    await respond(response, seen, faults.take(seen), () =>
      openApi(state, seen, body, incoming.headers["content-type"], changed),
    );
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

  const placeOrders: PretendStore["placeOrders"] = (count, make = () => ({})) => {
    const first = book.orders.length;
    const placed = Array.from({ length: count }, (_, index) => makeOrder(first + index, make(index)));
    book.add(placed);
    changed();
    return placed;
  };
  const addProduct: PretendStore["addProduct"] = (partial = {}) => {
    const product = makeProduct(products.length, partial);
    products.push(product);
    changed();
    return product;
  };

  return {
    url: `http://127.0.0.1:${port}`,
    get token() {
      const [token = ""] = tokens;
      return token;
    },
    orders: book.orders,
    products,
    requests,
    get ordering() {
      return ordering;
    },
    set ordering(value) {
      ordering = value;
    },
    honours,
    paramNames,
    placeOrder: (partial = {}) => {
      const [order] = placeOrders(1, () => partial);
      if (order === undefined) throw new Error("no order was placed");
      return order;
    },
    placeOrders,
    setStatus(id, status) {
      const order = book.find(id);
      if (order === undefined) throw new Error(`no order ${id}`);
      order.status = status;
      book.changed();
      changed();
    },
    seedProducts: (count) => Array.from({ length: count }, () => addProduct()),
    addProduct,
    rotateToken(token) {
      tokens.clear();
      tokens.add(token);
    },
    allowToken: (token) => void tokens.add(token),
    fail: faults.add,
    down,
    async up() {
      if (!server.listening) await listen(port);
    },
    on: (event, listener) => void events.on(event, listener),
    off: (event, listener) => void events.off(event, listener),
    waitFor(find, what, deadlineMs = 15_000) {
      return new Promise((resolve, reject) => {
        const end = () => {
          clearTimeout(timer);
          events.off("arrival", look);
          events.off("request", look);
          events.off("change", look);
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
        events.on("arrival", look);
        events.on("request", look);
        events.on("change", look);
        look();
      });
    },
    close: down,
  };
}
