import { type Dispatcher, errors } from "undici";
import { categories } from "../../sandbox/store/catalog.ts";
import { openApi } from "../../sandbox/store/open-api.ts";
import type { StoredOrder, StoredProduct } from "../../sandbox/store/shapes.ts";
import { createShop } from "../../sandbox/store/shop.ts";
import { Stream, uuidOf } from "../randomness.ts";
import type { Setup } from "../setup.ts";
import { after, currentOwner, type Owner, time, wallTime } from "../virtual-time.ts";
import { type Fault, Faults } from "./faults.ts";
import { type Evidence, hour, markStart, minute, type OrderTruth, type RequestTruth } from "./record.ts";

/** A fault of the store that lasts for a while. */
export interface StoreFault extends Fault {
  readonly how:
    | "unavailable"
    | "no-answer"
    | "cut-off"
    | "limited"
    | "nonsense"
    | "firewall"
    | "token-refused"
    | "slow"
    | "not-found"
    | "mixed";
  /** Only requests for this page fail. Undefined: requests for any page and for single orders. */
  readonly page?: number;
  readonly what: "all" | "lists" | "orders" | "products";
}
type How = StoreFault["how"];

/** A product that the store had before, a new one, one that the list of products gets later, or one that it never gets. */
export type ProductOfOrder = "old" | "new" | "late" | "unlisted";
/** Longest time until the list of products has a late product. */
const mostLateMs = 10 * minute;
const firstToken = `store_${"a".repeat(48)}`;

/** undici's time limit for an answer. The dispatcher here replaces undici's (`src/store-api/store-api.ts`). */
const answerWithinMs = 20_000;
const mostPerPage = 100;
const ordersPath = "/open-api/checkout/order";

interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const json = (data: unknown, status = 200): Answer => ({ status, body: Buffer.from(JSON.stringify(data)) });
const ok = (data: unknown) => json({ success: true, data });
const refuse = (status: number, message: string) => json({ success: false, message }, status);

/** The zones in which the store writes times, in hours ahead of UTC. */
const zones = [0, 5.5, -3] as const;

/** Writes a time (epoch ms) with the zone of the order with this number. */
function written(at: number, number: number): string {
  const hours = zones[number % zones.length] ?? 0;
  const ahead = new Date(Math.abs(hours) * hour).toISOString().slice(11, 16);
  const zone = hours === 0 ? "Z" : `${hours < 0 ? "-" : "+"}${ahead}`;
  return new Date(at + hours * hour).toISOString().replace("Z", zone);
}

const pages: Partial<Record<How, Answer>> = {
  unavailable: refuse(503, "unavailable"),
  limited: { ...refuse(429, "too many requests"), headers: { "retry-after": "20" } },
  nonsense: { status: 200, body: Buffer.from("<html>maintenance</html>") },
  firewall: {
    status: 403,
    body: Buffer.from("<html>blocked</html>"),
    headers: { "content-type": "text/html", server: "cloudflare" },
  },
  "token-refused": refuse(401, "who are you"),
  "not-found": refuse(404, "Order not found"),
};

/** A store in memory: its orders, the sequence of its lists, and its faults. */
export class SimulatedStore {
  readonly faults: Faults<StoreFault>;
  token = firstToken;
  /** Until this time every token is refused. */
  refusesUntil = 0;
  ordering: Setup["store"]["ordering"];
  honoursStatus: boolean;
  private readonly evidence: Evidence;
  private readonly setup: Setup;
  private readonly latency: Stream;
  private readonly ids: Stream;
  private readonly rows = new Map<string, StoredOrder>();
  /** Ids of the orders in the lists. The order that changed last is the last one. */
  private listed = new Set<string>();
  private readonly shop;
  /** Cached answers, and the cached sequence of the lists. Both are cleared when an order changes. */
  private readonly answers = new Map<string, Answer>();
  private inSequence: readonly StoredOrder[] | undefined;
  private readonly trace: (line: string) => void;
  private readonly underWay = new WeakMap<Owner, Map<string, number>>();
  private placed = 0;
  /** The products by id, each with the time from which on the list of products has it. */
  private readonly catalog = new Map<string, { readonly categoryId: string; readonly listedAt: number }>();

  constructor(seed: number, setup: Setup, evidence: Evidence, trace: (line: string) => void) {
    this.faults = new Faults(seed);
    this.setup = setup;
    this.evidence = evidence;
    this.trace = trace;
    this.latency = new Stream(seed, "store latency");
    this.ids = new Stream(seed, "orders");
    this.ordering = setup.store.ordering;
    this.honoursStatus = setup.store.honoursStatus;
    this.shop = createShop(firstToken, wallTime, () => this.changed());
    const products = new Stream(seed, "products");
    for (let index = 0; index < setup.store.products; index++) {
      const { id, categoryId } = this.shop.addProduct({ id: uuidOf(products) });
      this.catalog.set(id, { categoryId, listedAt: 0 });
    }
    this.shop.rowsPerPage = setup.store.rowsPerPage;
  }

  /** Returns the product of a new order. A product that is made for this order has the title of the order's item. */
  private productFor(category: number, which: ProductOfOrder, title: string): string {
    const known = which === "old" ? this.productOf(category) : undefined;
    if (known !== undefined) return known.id;
    const id = uuidOf(this.ids);
    if (which === "unlisted") return id;
    const lateMs = which === "late" ? this.ids.between(1, mostLateMs) : 0;
    const categoryId = categories[category]?.id ?? "";
    this.catalog.set(id, { categoryId, listedAt: time() + lateMs });
    const list = () => {
      this.shop.addProduct({ id, categoryId }).info.title = title;
    };
    if (lateMs === 0) list();
    else after(lateMs, list);
    return id;
  }

  /** Returns the newest product of a category. New orders of the category have it. */
  productOf(category: number): StoredProduct | undefined {
    const categoryId = categories[category]?.id;
    return this.shop.products.findLast((product) => product.categoryId === categoryId);
  }

  place(
    status: string,
    { category = 0, product = "old", ageMs = 0 }: { category?: number; product?: ProductOfOrder; ageMs?: number } = {},
  ): OrderTruth {
    const { ids, setup } = this;
    const number = this.placed++;
    // Ids are unique in their first eight characters, even if they are numbers.
    const id = setup.store.ids === "uuid" ? uuidOf(ids) : String(10_000_000 + number);
    const mark = `${markStart}${number.toString(36).padStart(5, "0")}`;
    const total = ids.chance(0.3) ? 50 * ids.between(1, 8) : ids.between(1, 400);
    const pieces = 1 + (number % 3);
    const name = `Customer${number} Person`;
    const productId = this.productFor(category, product, mark);
    const { categoryId, listedAt = 0 } = this.catalog.get(productId) ?? {};
    const { times } = setup.store;
    const behindMs = times === "behind" ? 3 * hour : 0;
    const at = times === "same" ? Math.floor(wallTime() / (24 * hour)) * 24 * hour : wallTime() - ageMs - behindMs;
    const row: StoredOrder = {
      id,
      status,
      customer: { email: `buyer${number}@customers.example`, name },
      items: [{ productId, productTitle: mark, quantity: pieces, price: total }],
      pricing: { subtotal: total, discount: 0, total },
      paymentMethod: ids.pick(["PIX", "CREDIT_CARD", "BOLETO"]),
      createdAt: setup.store.times === "missing" ? "" : written(at, number),
    };
    this.rows.set(id, row);
    this.listed.add(id);
    this.changed();
    const truth: OrderTruth = {
      id,
      mark,
      placedAt: ageMs > 0 ? 0 : time(),
      createdAt: setup.store.times === "own" ? time() - ageMs : undefined,
      total,
      pieces,
      method: row.paymentMethod,
      customer: { name, email: row.customer.email },
      product: productId,
      category: categoryId,
      productListedAt: listedAt,
      statuses: [{ at: time(), status }],
    };
    this.evidence.orders.set(id, truth);
    return truth;
  }

  /** Gives the order a status, removes it from every list (`gone`), or puts it into the lists again (`back`). */
  move(id: string, to: string): void {
    const row = this.rows.get(id);
    if (row === undefined) return;
    this.changed();
    this.listed.delete(id);
    if (to !== "gone") this.listed.add(id);
    if (to !== "gone" && to !== "back") row.status = to;
    this.evidence.orders.get(id)?.statuses.push({ at: time(), status: to === "gone" ? undefined : row.status });
  }

  /** Another store takes the place of this one. It has `count` orders, which are up to 20 days old. */
  replace(count: number): void {
    for (const id of [...this.listed]) this.move(id, "gone");
    this.rows.clear();
    for (let index = 0; index < count; index++) {
      const ageMs = this.ids.between(1, 20 * 24 * 60) * 60_000;
      this.place(index % 2 === 0 ? "PENDING" : "PAID", { category: index % 3, ageMs });
    }
  }

  changeLists(ordering: Setup["store"]["ordering"], honoursStatus: boolean): void {
    this.ordering = ordering;
    this.honoursStatus = honoursStatus;
    this.changed();
  }

  private changed(): void {
    this.answers.clear();
    this.inSequence = undefined;
  }

  private sorted(): readonly StoredOrder[] {
    const ids = [...(this.ordering === "last-changed-first" ? this.listed : this.rows.keys())];
    const rows = ids.filter((id) => this.listed.has(id)).map((id) => this.rows.get(id) as StoredOrder);
    if (this.ordering === "by-id") return rows.sort((one, other) => (one.id < other.id ? -1 : 1));
    return this.ordering === "oldest-first" ? rows : rows.reverse();
  }

  private fits(asked: string | undefined): (row: StoredOrder) => boolean {
    const { severalStatuses } = this.setup.store;
    if (!this.honoursStatus || asked === undefined) return () => true;
    const several = asked.split(",");
    if (several.length > 1 && severalStatuses === "ignored") return () => true;
    const wanted = severalStatuses === "none" ? [asked] : severalStatuses === "first" ? several.slice(0, 1) : several;
    return ({ status }) => wanted.includes(status);
  }

  private list(query: URLSearchParams): Answer {
    const page = Number(query.get("page") ?? 1);
    const size = this.setup.store.rowsPerPage ?? Math.min(Number(query.get("limit") ?? 10), mostPerPage);
    const email = query.get("email");
    this.inSequence ??= this.sorted();
    const rows = this.inSequence
      .filter(this.fits(query.get("status") ?? undefined))
      .filter(({ customer }) => email === null || customer.email === email);
    const orders = rows
      .slice((page - 1) * size, page * size)
      .map(({ createdAt, ...row }) => (createdAt === "" ? row : { ...row, createdAt }));
    return ok({ orders, lastPage: Math.max(1, Math.ceil(rows.length / size)) });
  }

  private carryOut(method: string, url: URL, authorization: string, body: string): Answer {
    if (authorization !== `Bearer ${this.token}` || time() < this.refusesUntil) return refuse(401, "who are you");
    const path = decodeURIComponent(url.pathname);
    if (method === "GET" && path.startsWith(`${ordersPath}/`)) {
      const id = path.slice(ordersPath.length + 1);
      const row = this.listed.has(id) ? this.rows.get(id) : undefined;
      if (row === undefined) return refuse(404, "Order not found");
      const { createdAt, ...rest } = row;
      return ok(createdAt === "" ? rest : row);
    }
    const key = `${method} ${url.pathname}${url.search}`;
    const known = method === "GET" ? this.answers.get(key) : undefined;
    if (known !== undefined) return known;
    const answer = path === ordersPath ? this.list(url.searchParams) : this.products(method, url, body);
    if (method === "GET") this.answers.set(key, answer);
    return answer;
  }

  private products(method: string, url: URL, body: string): Answer {
    const seen = {
      method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      at: wallTime(),
      status: 0,
      isOpen: true,
    };
    const { status, body: answer } = openApi(this.shop, seen, body, "application/json", () => this.changed());
    return json(answer, status);
  }

  private faultFor(url: URL): { how: How; stream: Stream } | undefined {
    const isOrder = url.pathname.startsWith(`${ordersPath}/`);
    const what = isOrder ? "orders" : url.pathname === ordersPath ? "lists" : "products";
    const page = Number(url.searchParams.get("page") ?? 1);
    const met = this.faults.meet((fault) => {
      if (fault.how === "not-found" && !isOrder) return false;
      return (
        (fault.what === "all" || fault.what === what) && (fault.page === undefined || (!isOrder && fault.page === page))
      );
    });
    if (met === undefined) return undefined;
    const { fault, stream } = met;
    return {
      how: fault.how === "mixed" ? stream.pick(["unavailable", "no-answer", "cut-off", "nonsense", "slow"]) : fault.how,
      stream,
    };
  }

  /** Replaces undici's connections. */
  readonly dispatcher = {
    dispatch: (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
      this.send(options, handler, currentOwner());
      return true;
    },
    destroy: async () => undefined,
    close: async () => undefined,
  } as unknown as Dispatcher;

  /** Counts the running requests of one process with one token. */
  private count(owner: Owner | undefined, token: string, change: number): void {
    if (owner === undefined) return;
    const byToken = this.underWay.get(owner) ?? new Map<string, number>();
    const underWay = (byToken.get(token) ?? 0) + change;
    this.underWay.set(owner, byToken.set(token, underWay));
    this.evidence.storeAtOnce = Math.max(this.evidence.storeAtOnce, underWay);
  }

  private send(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    owner: Owner | undefined,
  ): void {
    if (owner?.isDead) this.evidence.crashes.push({ at: time(), message: "a dead process asked the store" });
    let isOver = false;
    const { method, path } = options;
    const headers = options.headers as string[];
    const token = headers[headers.indexOf("authorization") + 1] ?? "";
    const [least, most] = this.setup.latency.store;
    const way = () => this.latency.between(least, most) / 2;
    const ends = (): boolean => {
      if (isOver) return false;
      isOver = true;
      timeOut.cancel();
      this.count(owner, token, -1);
      return true;
    };
    const failed = (error: Error) => {
      if (ends()) handler.onResponseError?.(controller, error);
    };
    const controller = {
      abort: failed,
      pause: () => undefined,
      resume: () => undefined,
      aborted: false,
      paused: false,
      reason: null,
    } as unknown as Dispatcher.DispatchController;
    this.count(owner, token, 1);
    const sent: RequestTruth = { at: time(), life: owner?.number ?? 0, method, path, token };
    this.evidence.storeRequests.push(sent);
    handler.onRequestStart?.(controller, {});
    const timeOut = after(answerWithinMs, () => failed(new errors.HeadersTimeoutError()), owner);
    after(way(), () => {
      const url = new URL(path, "https://store.test");
      const fault = this.faultFor(url);
      const how = fault?.how;
      const answer =
        (how === undefined ? undefined : pages[how]) ?? this.carryOut(method, url, token, String(options.body ?? ""));
      this.trace(`store ${method} ${path} ${how ?? ""} ${answer.status}`);
      if (how === "no-answer") return;
      const more = how === "slow" ? (fault?.stream.between(2_000, 25_000) ?? 0) : 0;
      if (how === "cut-off") return void after(way(), () => failed(new errors.SocketError("other side closed")), owner);
      after(
        way() + more,
        () => {
          if (!ends()) return;
          sent.answer = { status: answer.status, at: time() };
          handler.onResponseStart?.(
            controller,
            answer.status,
            { "content-type": "application/json", date: new Date(wallTime()).toUTCString(), ...answer.headers },
            "",
          );
          handler.onResponseData?.(controller, answer.body);
          handler.onResponseEnd?.(controller, {});
        },
        owner,
      );
    });
  }
}
