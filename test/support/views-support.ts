import fc from "fast-check";
import { expect } from "vitest";
import { locales } from "../../src/basics/locale.ts";
import type { Order, Product } from "../../src/store-api/schemas.ts";
import type { AlertOrder } from "../../src/views/alerts/alert-message.ts";
import type { ViewContext } from "../../src/views/parts/context.ts";
import type { MessagePayload, PostPayload } from "../../src/views/parts/payload.ts";
import { type Component, flat } from "../sandbox/discord/components.ts";
import { type MessageBody, messageProblems } from "../sandbox/discord/message-limits.ts";
import { modalProblems } from "../sandbox/discord/modal-limits.ts";
import { checkSpec } from "../sandbox/discord/spec.ts";

type Payload = MessagePayload | PostPayload;

/** All components, including nested ones. */
export const nodes = ({ components }: Payload): Component[] => flat(components as unknown as readonly Component[]);

/** The content, the embeds and the text displays, as raw markdown. */
export function textOf(payload: Payload): string {
  const shown = nodes(payload).flatMap((node) => (node.content === undefined ? [] : [node.content]));
  if ("flags" in payload) return shown.join("\n");
  const embedded = payload.embeds.flatMap(({ title, description, fields = [], footer }) => [
    title,
    description,
    ...fields.map(({ name, value }) => `${name}: ${value}`),
    footer?.text,
  ]);
  return [payload.content, ...embedded, ...shown].filter((text) => text !== undefined).join("\n");
}

export function buttonOf(payload: Payload, label: string): Component | undefined {
  return nodes(payload).find((node) => node.type === 2 && node.label === label);
}

export function valuesOf(payload: Payload): string[] {
  return nodes(payload).flatMap((node) => (node.options ?? []).map((option) => option.value));
}

/** Half a surrogate pair, escaped by JSON. */
const halfOfAPair = /\\ud[89a-f]/i;

/** Fails if Discord would refuse the message, or if a text in it would mention anybody. */
export function expectAccepted(payload: Payload, label?: string): void {
  const text = JSON.stringify(payload);
  const body = JSON.parse(text) as MessageBody;
  expect(checkSpec("MessageCreateRequestSchema", body).problems, label).toEqual([]);
  const files = ("files" in payload ? (payload.files ?? []) : []).map(({ data: bytes, ...file }, index) => ({
    ...file,
    bytes,
    field: `files[${index}]`,
  }));
  expect(messageProblems(body, files), label).toEqual([]);
  expect(payload.allowed_mentions.parse).toEqual([]);
  expect(halfOfAPair.test(text), label).toBe(false);
}

/** Fails unless Discord would open the modal. */
export function expectModalAccepted(modal: object, label?: string): void {
  const data = JSON.parse(JSON.stringify(modal)) as { components: Component[] };
  expect(checkSpec("ModalInteractionCallbackRequestSchema", { type: 9, data }).problems, label).toEqual([]);
  expect(modalProblems(data.components), label).toEqual([]);
  expect(halfOfAPair.test(JSON.stringify(modal)), label).toBe(false);
}

/** Fails unless Discord would accept the message or open the modal. Ignores everything else. */
export function expectTaken(answer: unknown, label: string): void {
  if (typeof answer !== "object" || answer === null) return;
  if ("custom_id" in answer) expectModalAccepted(answer, label);
  else if ("components" in answer) expectAccepted(answer as MessagePayload, label);
}

const nasty = [
  "",
  " ",
  "\u200b\u202e\u2800",
  "# heading",
  "-# subtext",
  "> quote\n- list\n1. number",
  "[free](https://evil.example) <@1> <@&2> <#3> <t:0:R> <a:x:123456789012345678> </order:1> @everyone @here",
  "**b** __u__ ~~s~~ ||sp|| `c` ```block``` \\* :smile:",
  "https://evil.example/a_b_c*d*",
  `Z${"\u0301\u0330\u0489".repeat(3_000)}`,
  "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿".repeat(300),
  "\ud800x\udc00",
  "क्".repeat(2_000),
  "*_~|`<[".repeat(2_000),
  "א\u202eabc\u2066",
  "constructor",
  "__proto__",
];

/** What people type, what attackers type, and noise. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...nasty),
  fc.string({ unit: "binary", maxLength: 120 }),
  fc.string({ unit: "grapheme", maxLength: 120 }),
  fc.array(fc.constantFrom(...nasty), { maxLength: 6 }).map((parts) => parts.join("")),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 50 }).map((units) => String.fromCharCode(...units)),
);

/** Most of these numbers are absurd. */
export const anyNumber: fc.Arbitrary<number> = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, -0, 0.1 + 0.2, 1e21, 1e300, -1e300, Number.NaN, Infinity, -Infinity, 5e-324, 99_999_999.99),
);

const anyId = fc.oneof(
  fc.uuid(),
  anyText.map((text) => text.slice(0, 100)),
  fc.constant("same"),
);
const anyTime = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.getTime()),
  fc.double(),
  fc.constant(undefined),
);

/** Lists that are mostly short and sometimes have 500 entries. They repeat a few entries, so they are made quickly. */
const upTo500 = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc
    .tuple(fc.array(item, { maxLength: 5 }), fc.constantFrom(1, 1, 100))
    .map(([items, times]) => Array.from({ length: times }, () => items).flat());

export const anyOrder: fc.Arbitrary<Order> = fc.record({
  id: anyId,
  status: fc.oneof(anyText, fc.constantFrom("PENDING", "paid", "Canceled", "IN PROGRESS", "REFUNDED")),
  customer: fc.record({ email: fc.oneof(anyText, fc.emailAddress()), name: anyText }),
  items: upTo500(fc.record({ productId: anyId, productTitle: anyText, quantity: anyNumber, price: anyNumber })),
  pricing: fc.record({ subtotal: anyNumber, discount: anyNumber, total: anyNumber }),
  paymentMethod: anyText,
  createdAt: anyTime,
});

export const anyProduct: fc.Arbitrary<Product> = fc.record({
  id: anyId,
  type: anyText,
  categoryId: anyId,
  info: fc.record({
    title: anyText,
    description: anyText,
    images: fc.array(fc.oneof(anyText, fc.webUrl({ withQueryParameters: true })), { maxLength: 15 }),
    slug: anyText,
  }),
  pricing: fc.record({ price: anyNumber, comparation: fc.option(anyNumber, { nil: undefined }) }),
  createdAt: anyTime,
});

export const anyContext: fc.Arbitrary<ViewContext> = fc.record(
  {
    locale: fc.constantFrom(...locales),
    currency: fc.constantFrom("USD", "BRL", "EUR", "JPY", "KWD", "BHD", "nonsense"),
    privacy: fc.constantFrom("none", "masked", "full"),
  },
  { requiredKeys: ["locale", "privacy"] },
);

export function anOrder(changes: Partial<Order> = {}): Order {
  return {
    id: "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab",
    status: "PENDING",
    customer: { email: "maria@example.com", name: "Maria" },
    items: [
      { productId: "p1", productTitle: "Sword", quantity: 2, price: 10 },
      { productId: "p2", productTitle: "Shield", quantity: 1, price: 5.5 },
    ],
    pricing: { subtotal: 25.5, discount: 0.5, total: 25 },
    paymentMethod: "PIX",
    createdAt: Date.UTC(2025, 0, 2, 3, 4, 5),
    ...changes,
  };
}

export const anAlertOrder = (changes: Partial<AlertOrder> = {}): AlertOrder => ({
  id: "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab",
  status: "PENDING",
  items: [{ title: "Sword", quantity: 2 }],
  total: 25,
  paymentMethod: "PIX",
  createdAt: Date.UTC(2025, 0, 2, 3, 4, 5),
  customer: { email: "maria@example.com", name: "Maria" },
  ...changes,
});

export function aProduct(changes: Partial<Product> = {}): Product {
  return {
    id: "11111111-2222-4333-8444-555555555555",
    type: "DEFAULT",
    categoryId: "99999999-2222-4333-8444-555555555555",
    info: { title: "Sword", description: "Sharp.", images: ["https://cdn.example.com/sword.png"], slug: "sword" },
    pricing: { price: 10, comparation: 15 },
    createdAt: Date.UTC(2025, 0, 2, 3, 4, 5),
    ...changes,
  };
}
