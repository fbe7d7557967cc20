import { randomUUID } from "node:crypto";
import type { StoredOrder, StoredProduct } from "./shapes.ts";

export const categories = [
  { id: "6f1c2a34-8b1d-4c53-9a57-0d2f6c1e7a01", title: "Game keys" },
  { id: "6f1c2a34-8b1d-4c53-9a57-0d2f6c1e7a02", title: "Software licences" },
  { id: "6f1c2a34-8b1d-4c53-9a57-0d2f6c1e7a03", title: "Gift cards" },
] as const;

const goods = [
  { title: "Starfall Odyssey (Steam key)", price: 59.9, comparation: 79.9, category: 0 },
  { title: "Pixel Farm Deluxe", price: 19.5, comparation: 24.9, category: 0 },
  { title: "Kart Legends: Season Pass", price: 34, comparation: 49, category: 0 },
  { title: "Dungeon & Ledger — Gold Edition", price: 89.99, comparation: 119.99, category: 0 },
  { title: "Antivirus Pro, 1 year", price: 39.9, comparation: 99.9, category: 1 },
  { title: "Photo Studio 12 licence", price: 149, comparation: 199, category: 1 },
  { title: "Office suite, lifetime", price: 119.9, comparation: 299, category: 1 },
  { title: "Gift card 25", price: 25, comparation: 25, category: 2 },
  { title: "Gift card 100", price: 100, comparation: 100, category: 2 },
] as const;
const customers = ["Ana Souza", "Bruno Lima", "Carla Nuñez", "Daniel Weiß", "Elif Yılmaz", "Tom O'Neill", "Li Wei"];
const paymentMethods = ["PIX", "CREDIT_CARD", "PAYPAL", "BOLETO", "CRYPTO"];

const pick = <T>(list: readonly T[], index: number): T => {
  const item = list[index % list.length];
  if (item === undefined) throw new Error("picked from an empty list");
  return item;
};
const cents = (amount: number) => Math.round(amount * 100) / 100;

export function makeProduct(nth: number, partial: Partial<StoredProduct> = {}): StoredProduct {
  const item = pick(goods, nth);
  const round = Math.floor(nth / goods.length);
  const title = round === 0 ? item.title : `${item.title} #${round + 1}`;
  return {
    id: randomUUID(),
    type: "DEFAULT",
    categoryId: pick(categories, item.category).id,
    info: {
      title,
      description: `${title}: delivered by e-mail within a minute of payment.`,
      images: [`https://images.example/${nth % goods.length}.png`],
      slug: title
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, ""),
    },
    pricing: { price: item.price, comparation: item.comparation },
    createdAt: new Date().toISOString(),
    ...partial,
  };
}

/**
 * The nth order of the demo shop. Some of its fields are not in the API document, such as the delivered goods (`GOODS-…`). A
 * client must not pass them on.
 */
export function makeOrder(nth: number, partial: Partial<StoredOrder> = {}): StoredOrder {
  const name = pick(customers, nth * 3 + 1);
  const lines = 1 + (nth % 3);
  const items = Array.from({ length: lines }, (_, line) => {
    const item = pick(goods, nth + line * 2);
    return {
      productId: randomUUID(),
      productTitle: item.title,
      quantity: 1 + ((nth + line) % 2),
      price: item.price,
      inventory: [{ type: "SERIAL", content: `GOODS-${nth}-${line}-SECRET` }],
    };
  });
  const subtotal = cents(items.reduce((sum, item) => sum + item.price * item.quantity, 0));
  const discount = nth % 4 === 0 ? cents(subtotal * 0.1) : 0;
  return {
    id: randomUUID(),
    status: "PENDING",
    customer: {
      email: `${name
        .split(" ")[0]
        ?.toLowerCase()
        .normalize("NFKD")
        .replace(/[^a-z]/g, "")}${nth}@example.com`,
      name,
    },
    items,
    pricing: { subtotal, discount, total: cents(subtotal - discount) },
    paymentMethod: pick(paymentMethods, nth),
    createdAt: new Date().toISOString(),
    checkoutIp: "203.0.113.7",
    delivered: { serials: [`GOODS-${nth}-DELIVERED`] },
    ...partial,
  };
}
