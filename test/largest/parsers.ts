import { addProductOptions, productFrom } from "../../commands/add-product/fields.ts";
import { withoutStock } from "../../commands/add-product/refusal-without-stock.ts";
import { stockAsSent } from "../../commands/add-product/stock.ts";
import { pageNumber } from "../../commands/list-buttons.ts";
import { statusesIn, suggestStatuses } from "../../commands/typed-statuses.ts";
import { fromCell, toCell } from "../../src/reports/csv.ts";
import { largestBody } from "../../src/store-api/http-client.ts";
import { parseTime } from "../../src/store-api/parse-time.ts";
import { cleanDetail, readRefusal } from "../../src/store-api/read-refusal.ts";
import { retryAfterMs } from "../../src/store-api/retry-after.ts";
import { orderSchema, productSchema } from "../../src/store-api/schemas.ts";
import { type Store, StoreError } from "../../src/store-api/store-api.ts";
import { categoryIn } from "../../src/store-queries/categories.ts";
import { habitsOf, readPrice } from "../../src/store-queries/price.ts";
import { pageIn } from "../../src/views/parts/custom-ids.ts";
import { priceTextMax } from "../../src/views/parts/numbers.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { crowdedPage } from "../sandbox/store/start-store.ts";
import { withBodyStore } from "../support/body-server.ts";
import {
  answerOf,
  type Filler,
  fillers,
  largestNewProduct,
  largestOrder,
  largestProduct,
  largestStock,
} from "./inputs.ts";
import type { MakeWorks, Work } from "./work.ts";

const FIELD_MAX = 4_000;
const uuid = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
/** Discord's limit on an option, in characters. */
const OPTION_MAX = 6_000;
/** Bytes that are read of a refusal of the store, and bytes of an answer that are parsed in one turn. */
const AT_ONCE = 64 * 1024;
/** Bytes that are read of a file of products. */
const FILE_MAX = 1024 * 1024;

/** Some shapes may be harder to parse than others. */
const shapes = (fill: Filler, length: number) => [
  fill(length),
  `${fill(length - 40)}${uuid}`,
  `${fill(1)},`.repeat(length / 4),
  `https://a.example/${fill(length)}`.slice(0, length),
  `https://a.example/${",".repeat(length - 20)}x`,
];

/** Each piece of work runs in one turn of the event loop. */
type Parser = (fill: Filler) => readonly (() => unknown)[];

/** A parser may refuse a text, but must not throw an error that is a fault of the bot. */
const each =
  (parse: (text: string) => unknown) =>
  (texts: readonly string[]): (() => unknown)[] =>
    texts.map((text) => () => {
      try {
        return parse(text);
      } catch (error) {
        if (error instanceof ProblemError) return undefined;
        throw error;
      }
    });

const habits = habitsOf({ language: "en" });
const productWith = (name: string) => (text: string) =>
  productFrom({ title: "T", price: "1", category: uuid, [name]: text }, habits);

const parsers: Readonly<Record<string, Parser>> = {
  "the options of /add-product": (fill) =>
    Object.keys(addProductOptions).flatMap((name) => each(productWith(name))(shapes(fill, OPTION_MAX))),
  "stocks as they are sent": (fill) => {
    const { inventory } = largestNewProduct(fill);
    const typed = { type: "SERIAL", content: fill(FIELD_MAX) } as const;
    return [() => stockAsSent(inventory), () => stockAsSent(typed)];
  },
  "refusals in which stock may stand": (fill) => {
    const inventory = { type: "SERIAL", content: largestStock(fill) } as const;
    const words = [fill(200), "a".repeat(200), "none of it"];
    return words.map((detail) => () => withoutStock(new StoreError("invalid", "x", { detail }), inventory));
  },
  prices: (fill) =>
    each((text) => readPrice(text, habits))([fill(OPTION_MAX), fill(priceTextMax), "1 ".repeat(priceTextMax / 2)]),
  categories: (fill) => each(categoryIn)(shapes(fill, OPTION_MAX)),
  "page numbers": (fill) =>
    each((text) => [pageIn(text), pageNumber(text, pageIn(text))])([
      ...shapes(fill, OPTION_MAX),
      "9".repeat(OPTION_MAX),
    ]),
  statuses: (fill) => {
    const seen = Array.from({ length: 1_001 }, (_, index) => `${index}${fill(96)}`);
    const typed = [...shapes(fill, OPTION_MAX), Array.from({ length: 1_500 }, (_, index) => index).join(",")];
    return [
      ...each((text) => statusesIn(text, seen, "en"))(typed),
      ...each((text) => suggestStatuses(text, seen, "en"))(typed),
    ];
  },
  times: (fill) => each(parseTime)([...shapes(fill, AT_ONCE), " ".repeat(AT_ONCE), `mon, ${fill(90)}`]),
  "values of Retry-After": (fill) =>
    each((text) => retryAfterMs(text, 1))([...shapes(fill, AT_ONCE), "1".repeat(AT_ONCE)]),
  "the store's own words": (fill) => each(cleanDetail)(shapes(fill, AT_ONCE)),
  refusals: (fill) => {
    const text = fill(AT_ONCE);
    const deep: unknown = JSON.parse(`{"errors":${"[".repeat(AT_ONCE / 2)}${"]".repeat(AT_ONCE / 2)}}`);
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, [fill(10)]]));
    const bodies = [{ message: text }, { errors: text.split("") }, { error: [{ msg: text }] }, deep, fields];
    return [...bodies, { message: fields }].map((body) => () => readRefusal(body, "tok"));
  },
  orders: (fill) => {
    const large = { ...largestOrder(fill), id: "1", status: "x", items: Array(20_000).fill({ price: fill(20) }) };
    return [() => orderSchema.safeParse(large)];
  },
  products: (fill) => {
    const product = largestProduct(fill);
    const info = { ...product.info, images: Array(10_000).fill(fill(5)), description: fill(AT_ONCE) };
    return [() => productSchema.safeParse({ ...product, info })];
  },
  "cells of files": (fill) => {
    const dividers = [",", "'", '"', ",'", ',"', ",=", "'\"", ", "].map((text) => text.repeat(FILE_MAX / 2));
    return [...shapes(fill, FILE_MAX), ...dividers].flatMap((text) => [() => toCell(text), () => fromCell(text)]);
  },
};

export const worksOfParsers: ReadonlyMap<string, MakeWorks> = new Map(
  Object.entries(parsers).map(([parser, make]) => [
    parser,
    function* (filled) {
      for (const [name, fill] of filled) {
        for (const [index, run] of make(fill).entries()) yield { what: `${index} of ${name}`, run };
      }
    },
  ]),
);

/** The reading of the largest answers of a store. Each may only throw a {@link StoreError}. */
export function worksOfAnswers(): Work[] {
  const stars = (length: number) => "*".repeat(length);
  const joined = fillers.get("joined") ?? stars;
  const text = (start: string, end: string, fill: string) =>
    Buffer.from(start + fill.repeat((largestBody - 200) / Buffer.byteLength(fill)) + end);
  const distinctKeys = (bytes: number) => Array.from({ length: bytes / 12 }, (_, nth) => `"k${nth}":0`).join(",");
  const orders = (store: Store) => store.listOrders({ limit: 100 });
  const products = (store: Store) => store.listProducts({ limit: 100 });
  const order = (store: Store) => store.getOrder(uuid);
  const bodies: readonly (readonly [string, (store: Store) => Promise<unknown>, Buffer])[] = [
    ["the largest orders", orders, answerOf("orders", (nth) => ({ ...largestOrder(joined, 100), id: `o${nth}` }))],
    ["the largest products", products, answerOf("products", (nth) => ({ ...largestProduct(joined), id: `p${nth}` }))],
    ["orders with nothing but an id", orders, answerOf("orders", (nth) => ({ id: nth + 1 }))],
    ["as many orders as a body has", orders, Buffer.from(crowdedPage())],
    [
      "rows of items",
      orders,
      text('{"success":true,"data":{"lastPage":1,"orders":[{"id":"1","items":[{}', "]}]}}", ',{"price":1}'),
    ],
    ["many keys", orders, Buffer.from(`{"success":true,"data":{"lastPage":1,"orders":[],${distinctKeys(600_000)}}}`)],
    ["one order of empty items", order, text('{"success":true,"data":{"id":"1","items":[{}', "]}}", ",{}")],
    ["one text", order, text('{"success":true,"data":{"id":"', '"}}', "a")],
    ["escapes", order, text('{"success":true,"data":{"id":"', '"}}', "\\u0041")],
    ["brackets", order, text("", "", "[")],
    ["keys", order, Buffer.from(`{"success":true,"data":{${distinctKeys(largestBody - 200)}}}`)],
    ["a refusal", order, text('{"success":false,"message":"', '"}', "<*")],
    ["a refusal in fields", order, text('{"success":false,"errors":{"a":[""]', "}}", ',"b":["no"]')],
  ];
  return bodies.map(([what, call, body]) => ({
    what,
    run: () =>
      withBodyStore(body, async ({ store }) => {
        await call(store).catch((error: unknown) => {
          if (!(error instanceof StoreError)) throw error;
        });
      }),
  }));
}
