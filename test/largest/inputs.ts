import { largestBody } from "../../src/store-api/http-client.ts";
import type { NewProduct, Order, Product } from "../../src/store-api/schemas.ts";
import { type AlertOrder, alertBatchSize } from "../../src/views/alerts/alert-message.ts";

/** Pieces of text that cause work, some for each loop of a view. */
const units = {
  letters: "a",
  stars: "*",
  brackets: "[",
  links: "](",
  addresses: "https://a.b/",
  emojiCodes: ":a",
  tildes: "~",
  bars: "|",
  backticks: "`",
  backslashes: "\\",
  angles: "<@1>",
  mentions: "@everyone",
  quotes: ">",
  nestedQuotes: "> ",
  digits: "1",
  loneHigh: "\ud800",
  loneLow: "\udc00",
  paired: "😀",
  marks: "\u0301",
  piledMarks: "a\u0330\u0331\u0332\u0333",
  composed: "\u1100\u1161\u11a8",
  leading: "\u1100",
  conjuncts: "क्",
  expanding: "\ufb2cﬃ",
  families: "👩‍👩‍👧‍👦",
  joined: "👩\u200d",
  presented: "1\ufe0f",
  flags: "🇩🇪",
  tagged: "🏴\u{e0067}",
  invisible: "\u200b",
  blanks: " \u00a0",
  lines: "\n",
  shortLines: "a\n",
  dottedLines: "a.a.\n",
  rightToLeft: "א*",
  control: "\u0000",
} as const;

/** `length`: UTF-16 units. */
export type Filler = (length: number) => string;

export const repeated =
  (unit: string): Filler =>
  (length) =>
    unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** By the name of the piece. */
export const fillers: ReadonlyMap<string, Filler> = new Map([
  ...Object.entries(units).map(([name, unit]): [string, Filler] => [name, repeated(unit)]),
  // A pattern for the end of a text may try again at each character of a run that does not end the text.
  ["enclosed", (length) => `x${units.invisible.repeat(length)}`.slice(0, length - 1).concat("x")],
]);

export const LONG_NUMBER = 999_999_999_999.123;

/** As large as the schema allows (`mostLines` in `schemas.ts`; 100 in a list). */
export function largestOrder(fill: Filler, lines = 500, id = fill(64)): Order {
  const line = { productId: fill(500), productTitle: fill(500), quantity: 999_999.123, price: LONG_NUMBER };
  return {
    id,
    status: fill(100),
    customer: { email: `${fill(250)}@${fill(249)}`, name: fill(500) },
    items: Array.from({ length: lines }, () => line),
    pricing: { subtotal: LONG_NUMBER, discount: LONG_NUMBER, total: LONG_NUMBER },
    paymentMethod: fill(500),
    createdAt: 8.64e15,
  };
}

const address = (fill: Filler, index: number) => `https://a.example/${index}${fill(2_048)}`.slice(0, 2_048);

/** As large as the schema allows. */
export function largestProduct(fill: Filler): Product {
  return {
    id: fill(64),
    type: fill(500),
    categoryId: fill(500),
    info: {
      title: fill(500),
      description: fill(4_000),
      images: Array.from({ length: 50 }, (_, index) => address(fill, index)),
      slug: fill(500),
    },
    pricing: { price: LONG_NUMBER, comparation: LONG_NUMBER + 1 },
    createdAt: 8.64e15,
  };
}

/** Rows of an answer of an API without pages. */
export const MOST_ROWS = 5_000;

/** The orders of the largest message. */
export const largestBatch = (fill: Filler, count: number = alertBatchSize): AlertOrder[] =>
  Array.from({ length: count }, (_, index) => {
    const { items, pricing, ...order } = largestOrder(fill, 100, `${index}${fill(60)}`);
    return {
      ...order,
      items: items.map(({ productTitle, quantity }) => ({ title: productTitle, quantity })),
      total: pricing.total,
      changedAt: 8.64e15,
    };
  });

/** The largest accepted stock, in bytes (`uploadMax`). */
const LARGEST_STOCK = 1_048_576;

export const largestStock = (fill: Filler) => Buffer.from(fill(LARGEST_STOCK)).toString("utf8", 0, LARGEST_STOCK);

/** As a person may type it: 6,000 characters in an option, 4,000 in a field of a window. */
export const largestNewProduct = (fill: Filler, content = largestStock(fill)): NewProduct => ({
  type: "DEFAULT",
  categoryId: "99999999-2222-4333-8444-555555555555",
  info: {
    title: fill(6_000),
    description: fill(4_000),
    instructions: fill(4_000),
    images: Array.from({ length: 10 }, (_, index) => address(fill, index)),
    youtubeLink: address(fill, 0),
  },
  pricing: { price: LONG_NUMBER, comparation: 1 },
  inventory: { type: "SERIAL", content, fileName: fill(1_000) },
  utils: { hideProduct: true, hideSales: true, minQuantity: 999_999 },
  chat: { enabled: false, autoMessages: fill(4_000).split("") },
});

/** As many of these rows as fit into the largest answer that the bot reads, but at most `most`. */
export function answerOf(
  key: "orders" | "products",
  row: (index: number) => object,
  { most = Number.POSITIVE_INFINITY, lastPage = 9 } = {},
): Buffer {
  const rows: string[] = [];
  let left = largestBody - 100;
  for (let index = 0; index < most; index += 1) {
    const text = JSON.stringify(row(index));
    left -= Buffer.byteLength(text) + 1;
    if (left < 0) break;
    rows.push(text);
  }
  return Buffer.from(`{"success":true,"data":{"${key}":[${rows.join(",")}],"lastPage":${lastPage}}}`);
}
