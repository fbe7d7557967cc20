import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commands } from "../../commands/index.ts";
import type { Services } from "../../src/services.ts";
import { StoreError } from "../../src/store-api/store-api.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { unseenReply } from "../support/command-jobs.ts";
import { sized } from "../support/sized.ts";
import { openShop, owner, type Shop } from "./add-product-support.ts";

let shop: Shop;
/** Names of what is kept elsewhere, and for somebody else here. */
const names: string[] = [];

beforeAll(async () => {
  shop = await openShop();
  const { lists, unconfirmed, drafts } = shop.services();
  for (const whose of [
    { ...owner, guildId: "100000000000000009" },
    { ...owner, userId: "100000000000000009" },
  ]) {
    names.push(await lists.keep(whose, {}), await unconfirmed.keep(whose, { channelId: "1" }));
    names.push(await drafts.start(whose, { ...product }));
  }
});
afterAll(() => shop.close());

const product = {
  type: "DEFAULT",
  categoryId: "6f1c2a34-8b1d-4c53-9a57-0d2f6c1e7a09",
  info: { title: "Moon Racer" },
  pricing: { price: 1 },
  inventory: { type: "SERIAL" },
} as const;

/** Everything that can be pressed, chosen from or submitted. */
const handlers = commands.flatMap(({ name, handlers }) =>
  [...Object.entries(handlers?.components ?? {}), ...Object.entries(handlers?.windows ?? {})].map(
    ([action, handle]) => ({ what: `${name}:${action}`, handle }),
  ),
);

const alerts = {
  idsKnown: async () => ["1042"],
  showTakes: async () => undefined,
  status: async () => ({ planned: 0, followed: 0, withoutButtons: 0, baseline: undefined, notices: {} }),
  digest: async () => ({ timezone: "UTC" }),
};

const hostile = fc.oneof(
  fc.string({ maxLength: 100, unit: "binary" }),
  fc.constantFrom(
    "",
    "__proto__",
    "constructor",
    "\0".repeat(12),
    "é".repeat(90),
    "-1",
    "1e999",
    "9".repeat(90),
    "NaN",
  ),
  fc.nat({ max: 5 }).map((index) => names[index] ?? ""),
);

it.each(handlers)("$what takes whatever its custom id and its menu hold", async ({ handle }) => {
  const press = fc.record({
    args: fc.array(hostile, { maxLength: 4 }),
    values: fc.array(hostile, { maxLength: 3 }),
    fields: fc.dictionary(fc.constantFrom("page", "messages", "description", "stock"), hostile),
    files: fc.constant({}),
  });
  await fc.assert(
    fc.asyncProperty(press, async (what) => {
      const services = { ...shop.services(), alerts: alerts as unknown as Services["alerts"] };
      let isShown = false;
      const show = async () => {
        isShown = true;
      };
      const answer = await handle({
        ...owner,
        ...what,
        value: what.values[0],
        message: { id: crypto.randomUUID(), content: "x", isReply: false },
      })
        .run(services, { ...unseenReply(), show, send: show })
        .then<unknown, unknown>(
          (payload) => payload,
          (error: unknown) => error,
        );
      const isTold = answer instanceof ProblemError || answer instanceof StoreError;
      isShown ||= !(answer instanceof Error) && typeof answer === "object" && answer !== null;
      if (!isTold && !isShown) throw answer;
    }),
    { numRuns: sized(15, 150) },
  );
});

it("nothing that a custom id or a menu holds reaches what is kept elsewhere or for somebody else", async () => {
  const { lists, unconfirmed, drafts } = shop.services();
  const whoseElse = [
    { ...owner, guildId: "100000000000000009" },
    { ...owner, userId: "100000000000000009" },
  ];
  for (const [index, whose] of whoseElse.entries()) {
    const [list = "", settings = "", draft = ""] = names.slice(3 * index);
    expect(await lists.find(list, whose)).toEqual({});
    expect(await unconfirmed.find(settings, whose)).toEqual({ channelId: "1" });
    expect((await drafts.find(draft, whose)).stage).toBe("open");
  }
  expect(shop.creations()).toBe(0);
});
