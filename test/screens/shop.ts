import { createHash } from "node:crypto";
import { categories, type PretendStore, type StoredOrder } from "../sandbox/store/start-store.ts";

const opening = Date.UTC(2026, 2, 2, 9, 0);
const minuteMs = 60_000;

/** A person may enter this in a store to make trouble. Discord must show all of it as plain text. */
export const hostileTitle =
  "@everyone **FREE** [click](https://evil.example) <@&1> ~~old~~ ||spoiler|| `code` \u202etxet\u202c # not a heading";

/** In the form of a UUID, the same in every run. */
export function idOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** One order comes every six minutes from nine o'clock on. */
const orderOfTheDay = (nth: number, partial: Partial<StoredOrder> = {}): Partial<StoredOrder> => ({
  id: idOf(`order ${nth}`),
  createdAt: new Date(opening + nth * 6 * minuteMs).toISOString(),
  ...partial,
});

export function placeOrders(store: PretendStore, count: number, partial: Partial<StoredOrder> = {}): StoredOrder[] {
  const first = store.orders.length;
  return store.placeOrders(count, (index) => orderOfTheDay(first + index, partial));
}

/** Fourteen orders and thirteen products. One product has a hostile title. */
export function stock(store: PretendStore): void {
  const statuses = ["PAID", "PAID", "PENDING", "CANCELLED", "PAID", "REFUNDED", "ON_HOLD"];
  for (let nth = 0; nth < 14; nth++) placeOrders(store, 1, { status: statuses[nth % statuses.length] });
  for (let nth = 0; nth < 13; nth++) {
    store.addProduct({
      id: idOf(`product ${nth}`),
      createdAt: new Date(opening - (nth + 1) * 24 * 60 * minuteMs).toISOString(),
      ...(nth === 3 ? hostileProduct : {}),
    });
  }
}

const hostileProduct = {
  categoryId: categories[0].id,
  info: { title: hostileTitle, description: `> quote\n# heading\n${"very ".repeat(60)}long`, images: [], slug: "x" },
  pricing: { price: 1e21, comparation: 0.1 + 0.2 },
};
