import { makeOrder, makeProduct } from "./catalog.ts";
import { createOrderBook } from "./order-book.ts";
import type { Honours, Ordering, StoredOrder, StoredProduct } from "./shapes.ts";

/** One shop of the service. Requests with its token are answered from it. */
export type Shop = ReturnType<typeof createShop>;

/** Makes a shop without orders and products. `changed` is called after orders or products changed. `now`: epoch ms. */
export function createShop(token: string, now: () => number, changed: () => void) {
  const book = createOrderBook();
  const products: StoredProduct[] = [];
  const tokens = new Set([token]);
  const everyToken = new Set([token]);

  function placeOrders(count: number, make: (index: number) => Partial<StoredOrder> = () => ({})): StoredOrder[] {
    const first = book.orders.length;
    const createdAt = new Date(now()).toISOString();
    const placed = Array.from({ length: count }, (_, index) => makeOrder(first + index, { createdAt, ...make(index) }));
    book.add(placed);
    changed();
    return placed;
  }
  function addProduct(partial: Partial<StoredProduct> = {}): StoredProduct {
    const product = makeProduct(products.length, { createdAt: new Date(now()).toISOString(), ...partial });
    products.push(product);
    changed();
    return product;
  }

  return {
    /** The token that is valid now. */
    get token(): string {
      const [valid = ""] = tokens;
      return valid;
    },
    tokens: tokens as ReadonlySet<string>,
    /** Every token that was valid at any time. */
    everyToken: everyToken as ReadonlySet<string>,
    now,
    book,
    /** The orders in the sequence of their arrival. Change them with the functions below. */
    orders: book.orders as readonly StoredOrder[],
    products,
    /** A test may change this at any time, and also `honours` and `rowsPerPage`. */
    ordering: "newest-first" as Ordering,
    honours: { status: true, email: true, limit: true, severalStatuses: "all" } as Honours,
    /** Number of rows on every page of both lists. If it is undefined, `limit` decides. */
    rowsPerPage: undefined as number | undefined,
    placeOrder(partial: Partial<StoredOrder> = {}): StoredOrder {
      const [order] = placeOrders(1, () => partial);
      if (order === undefined) throw new Error("no order was placed");
      return order;
    },
    placeOrders,
    setStatus(id: string, status: string): void {
      const order = book.find(id);
      if (order === undefined) throw new Error(`no order ${id}`);
      order.status = status;
      book.changed();
      changed();
    },
    /** Removes an order. No list has it any more, and it cannot be found. */
    removeOrder(id: string): void {
      book.remove(id);
      changed();
    },
    seedProducts: (count: number) => Array.from({ length: count }, () => addProduct()),
    addProduct,
    /** Makes `token` the only valid one. */
    rotateToken(token: string): void {
      tokens.clear();
      tokens.add(token);
      everyToken.add(token);
    },
    /** Makes one more token valid. */
    allowToken(token: string): void {
      tokens.add(token);
      everyToken.add(token);
    },
  };
}
