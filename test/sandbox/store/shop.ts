import { makeOrder, makeProduct } from "./catalog.ts";
import { createOrderBook } from "./order-book.ts";
import type { Honours, Ordering, StoredOrder, StoredProduct } from "./shapes.ts";

/** One shop of the service: what the requests with its token are answered from. */
export interface Shop {
  /** The token that is valid now. */
  readonly token: string;
  /** Every token that was valid at any time. */
  readonly everyToken: ReadonlySet<string>;
  /** In the sequence of their arrival. Change them with the functions below. */
  readonly orders: readonly StoredOrder[];
  readonly products: readonly StoredProduct[];
  /** May be changed at any time, as what follows. */
  ordering: Ordering;
  readonly honours: Honours;
  /** Rows on every page of either list, whatever `limit` says; as `limit` says at first, and with `undefined`. */
  rowsPerPage: number | undefined;
  placeOrder(partial?: Partial<StoredOrder>): StoredOrder;
  placeOrders(count: number, make?: (index: number) => Partial<StoredOrder>): StoredOrder[];
  setStatus(id: string, status: string): void;
  /** The shop forgets an order: it is in no list, and cannot be found, any more. */
  removeOrder(id: string): void;
  seedProducts(count: number): StoredProduct[];
  addProduct(partial?: Partial<StoredProduct>): StoredProduct;
  /** From now on `token` is the only valid one. */
  rotateToken(token: string): void;
  /** Another token for the same shop, beside the present ones. */
  allowToken(token: string): void;
}

/** A shop as the service itself sees it. */
export interface ShopModel extends Shop {
  readonly products: StoredProduct[];
  readonly book: ReturnType<typeof createOrderBook>;
  readonly tokens: ReadonlySet<string>;
  /** Epoch ms: what is new was created then. */
  readonly now: () => number;
}

/** A shop without orders and products; `changed` is called after either changed. */
export function createShop(token: string, now: () => number, changed: () => void): ShopModel {
  const book = createOrderBook();
  const products: StoredProduct[] = [];
  const tokens = new Set([token]);
  const everyToken = new Set([token]);

  const placeOrders: Shop["placeOrders"] = (count, make = () => ({})) => {
    const first = book.orders.length;
    const createdAt = new Date(now()).toISOString();
    const placed = Array.from({ length: count }, (_, index) => makeOrder(first + index, { createdAt, ...make(index) }));
    book.add(placed);
    changed();
    return placed;
  };
  const addProduct: Shop["addProduct"] = (partial = {}) => {
    const product = makeProduct(products.length, { createdAt: new Date(now()).toISOString(), ...partial });
    products.push(product);
    changed();
    return product;
  };

  return {
    get token() {
      const [valid = ""] = tokens;
      return valid;
    },
    tokens,
    everyToken,
    now,
    book,
    orders: book.orders,
    products,
    ordering: "newest-first",
    honours: { status: true, email: true, limit: true, severalStatuses: "all" },
    rowsPerPage: undefined,
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
    removeOrder(id) {
      book.remove(id);
      changed();
    },
    seedProducts: (count) => Array.from({ length: count }, () => addProduct()),
    addProduct,
    rotateToken(next) {
      tokens.clear();
      tokens.add(next);
      everyToken.add(next);
    },
    allowToken(another) {
      tokens.add(another);
      everyToken.add(another);
    },
  };
}
