import type { Shop, StoredOrder } from "../sandbox/store/start-store.ts";
import { Stream } from "../simulation/randomness.ts";

/** `/stats` compares 30 days with the 30 before. */
const historyDays = 60;
/** At the end of these days. At their beginning, orders a day are two thirds of this. */
const ordersADay = 45;
/** Weights of the weekdays from Sunday on. People buy most for the weekend. */
const weekdays = [1.25, 0.8, 0.8, 0.85, 0.95, 1.2, 1.4];
/** Weights of the hours from midnight on. Most orders come in the evening. */
const hours = [3, 1, 1, 0, 0, 1, 2, 4, 5, 6, 7, 8, 11, 9, 7, 8, 9, 12, 15, 19, 22, 18, 11, 6];
/** Weights of the shop's products, in their sequence. Gift cards and cheap products sell most. */
const products = [16, 22, 11, 7, 5, 2, 3, 26, 8];
const paymentMethods = { PIX: 45, CREDIT_CARD: 34, PAYPAL: 12, BOLETO: 6, CRYPTO: 3 };
const firstNames = ["Ana", "Bruno", "Carla", "Diego", "Elena", "Felipe", "Gabriela", "Hugo", "Isabel", "João", "Lucas"];
const lastNames = ["Almeida", "Castro", "Díaz", "Ferreira", "García", "Lima", "Moreno", "Ramos", "Souza", "Torres"];
const customers = 900;
const hourMs = 60 * 60_000;

const byIndex = (weights: readonly number[]) => Object.fromEntries(weights.entries()) as Record<string, number>;
const cents = (amount: number) => Math.round(amount * 100) / 100;
const plain = (name: string) =>
  name
    .normalize("NFKD")
    .replace(/[^A-Za-z]/g, "")
    .toLowerCase();

/** The time of day, in ms, before which this share of a day's orders comes. */
function timeOfDay(share: number): number {
  let left = share * hours.reduce((sum, weight) => sum + weight);
  const hour = hours.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return (hour + 1 + left / (hours[hour] ?? 1)) * hourMs;
}

/** Oldest first, before `from` (epoch ms). Days and hours are those of this machine's zone. */
function times(from: number, draw: Stream): number[] {
  const today = new Date(from);
  const found: number[] = [];
  for (let ago = historyDays - 1; ago >= 0; ago -= 1) {
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - ago);
    const growth = 1 - ago / historyDays / 3;
    const count = Math.round(ordersADay * growth * (weekdays[day.getDay()] ?? 1) * (0.85 + draw.next() * 0.3));
    for (let order = 0; order < count; order += 1) {
      found.push(day.getTime() + timeOfDay((order + draw.next()) / count));
    }
  }
  return found.filter((at) => at < from);
}

/** Some new orders are pending, and some older ones were cancelled or refunded. */
function statusOf(ageMs: number, draw: Stream): string {
  if (ageMs < 3 * hourMs) return draw.chance(0.3) ? "PENDING" : "PAID";
  return draw.weighted({ DELIVERED: 87, CANCELLED: 9, REFUNDED: 4 });
}

function customerOf(draw: Stream): StoredOrder["customer"] {
  // The power makes some customers buy often.
  const nth = Math.floor(draw.next() ** 1.5 * customers);
  const first = firstNames[nth % firstNames.length] ?? "";
  const last = lastNames[Math.floor(nth / firstNames.length) % lastNames.length] ?? "";
  return { name: `${first} ${last}`, email: `${plain(first)}.${plain(last)}${nth}@example.com` };
}

/** Adds the orders of the two months before `from` (epoch ms) for the shop's first products, the same on every run. */
export function seedHistory(shop: Shop, from: number): void {
  const draw = new Stream(1, "history");
  const all = times(from, draw);
  shop.placeOrders(all.length, (index) => {
    const at = all[index] ?? from;
    const items = Array.from({ length: draw.chance(0.2) ? 2 : 1 }, () => {
      const product = shop.products[Number(draw.weighted(byIndex(products)))];
      if (product === undefined) throw new Error("the shop has fewer products than were sold");
      const { id: productId, info, pricing } = product;
      return { productId, productTitle: info.title, quantity: draw.chance(0.15) ? 2 : 1, price: pricing.price };
    });
    const subtotal = cents(items.reduce((sum, { price, quantity }) => sum + price * quantity, 0));
    const discount = draw.chance(0.1) ? cents(subtotal / 10) : 0;
    return {
      status: statusOf(from - at, draw),
      customer: customerOf(draw),
      items,
      pricing: { subtotal, discount, total: cents(subtotal - discount) },
      paymentMethod: draw.weighted(paymentMethods),
      createdAt: new Date(at).toISOString(),
    };
  });
}
