import { makeOrder, makeProduct } from "./catalog.ts";
import { createOrderBook } from "./order-book.ts";
import type { StoredOrder, StoredProduct } from "./shapes.ts";

/** Answers requests with its token. */
export type Shop = ReturnType<typeof createShop>;

/** `changed` is called after orders or products changed. `now`: epoch ms. */
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
    get token(): string {
      const [valid = ""] = tokens;
      return valid;
    },
    tokens: tokens as ReadonlySet<string>,
    /** Every token that was ever valid. */
    everyToken: everyToken as ReadonlySet<string>,
    now,
    book,
    /** In the sequence of their arrival. Change them with the functions below. */
    orders: book.orders as readonly StoredOrder[],
    products,
    /** The filters of the order list that the store obeys. A test may change this at any time, and also `rowsPerPage`. */
    honours: { status: true, email: true },
    /** Rows on every page of both lists. If undefined, `limit` decides. */
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
    removeOrder(id: string): void {
      book.remove(id);
      changed();
    },
    /** All with one creation time, so that their sequence does not depend on the speed of the machine. */
    seedProducts(count: number): StoredProduct[] {
      const createdAt = new Date(now()).toISOString();
      return Array.from({ length: count }, () => addProduct({ createdAt }));
    },
    addProduct,
    rotateToken(token: string): void {
      tokens.clear();
      tokens.add(token);
      everyToken.add(token);
    },
    allowToken(token: string): void {
      tokens.add(token);
      everyToken.add(token);
    },
  };
}
