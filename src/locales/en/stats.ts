import { plural } from "./plural.ts";

/** Statistics and digests of sales. Times and amounts are formatted. */
export const stats = {
  title: (span: string) => `Orders · ${span}`,
  notOver: "Today is not over yet.",
  orders: "Orders",
  sold: "Sold",
  soldOf: (amount: string, count: string) => `${amount} (orders: ${count})`,
  before: (days: number, amount: string) =>
    plural(days, { one: `previous day: ${amount}`, other: `previous ${days} days: ${amount}` }),
  waitsForPayment: "Waiting for payment",
  ofAll: "all orders",
  ofSold: "sold only",
  statuses: "By status",
  products: "Top products",
  methods: "Payment methods",
  hours: "Busiest hours",
  pieces: (title: string, pieces: string) => `${title} × ${pieces}`,
  line: (name: string, count: string, amount: string) => `${name}: ${count} · ${amount}`,
  hourLine: (hours: string, count: string) => `${hours}: ${count}`,
  others: "Others",
  unnamed: "Unnamed",
  none: "No orders in this period.",
  against: (span: string) => `Compared with ${span}`,
  days: (zone: string) => `Time zone: ${zone}`,
  asOf: (time: string) => `Updated ${time}`,
  soldMeans: "“Sold” leaves out unpaid, cancelled and refunded orders.",
  notWhole:
    "Some orders may be missing: the store showed some that cannot be read or have no date, or the pages of its list did not fit together.",
  someProducts: "There were too many different products to count each of them, so the list of top products may be off.",
  reading: "Reading orders",
  progress: (read: string, about: string) => `${read} of about ${about} read.`,
  today: "Today so far",
  push: (span: string, orders: string, amount: string) => `📊 **${span}**: orders ${orders} · sold ${amount}`,
  late: (due: string) => `This digest is late: it was due ${due}, but the bot could not post it then.`,
  missed: (count: string) => `Earlier digests that the bot could not post: ${count}.`,
  set: {
    day: (channel: string, next: string) => `Daily digest on in ${channel}. Next one: ${next}.`,
    week: (channel: string, next: string) => `Weekly digest on in ${channel}, every Monday. Next one: ${next}.`,
  },
  zone: (zone: string, time: string) => `Time zone: **${zone}**, where it is now ${time}.`,
  isPublic: (channel: string) => `Everyone in this server can read ${channel} and will see how much the store sells.`,
  noPicture: "Without the **Attach Files** permission in that channel, the digest comes without its chart.",
  off: "The digest is off. `/stats` still shows the numbers whenever you ask.",
  chart: {
    byHour: "Orders by the hour",
    byDay: "Orders by day",
    day: (span: string, from: string, most: string, busiest: string) =>
      `Bar chart of orders by hour of the day, ${span}. Most orders: ${most}, ${busiest}. Thin bars: ${from}.`,
    days: (span: string, from: string, most: string, busiest: string) =>
      `Bar chart of orders by day, ${span}. Most orders: ${most}, on ${busiest}. Thin bars: ${from}.`,
  },
};
