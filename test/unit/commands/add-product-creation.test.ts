import { afterEach, describe, expect, it, vi } from "vitest";
import { forgetServer } from "../../../src/forget-server.ts";
import { StorageError } from "../../../src/storage/table.ts";
import type { MessagePayload } from "../../../src/views/parts/payload.ts";
import { codeOf } from "../../support/code-of.ts";
import { stored } from "../../support/stored.ts";
import { textOf } from "../../support/views-support.ts";
import { buttonsOf, options, owner, STOCK, useShop } from "./add-product-support.ts";

const other = { ...owner, userId: "100000000000000007" };
const creation = { method: "POST", path: /catalog\/product$/ };
const listing = { method: "GET", path: /catalog\/product$/ };
const hour = 3_600_000;
/** The limit of a person's request to the store. */
const storeLimitMs = 12_000;

const shop = useShop();
afterEach(() => void vi.restoreAllMocks());

/** Also for the storage, which deletes drafts. */
const dayPasses = () => vi.spyOn(Date, "now").mockReturnValue(Date.now() + 24 * hour);

const idOf = (index = 0) => shop.pretend.products[index]?.id ?? "no such product";

describe("Create below the preview of a product", () => {
  it("shows the new id and opens the product, also after its draft has expired or the store has renamed it", async () => {
    const done = await shop.press(await shop.preview(), "Create");
    expect(textOf(done)).toContain(`\`${idOf()}\``);
    expect(textOf(await shop.press(done, "Open"))).toMatch(new RegExp(`^### Moon Racer\n[^]*${idOf()}`));

    const [product] = shop.pretend.products;
    if (product) product.info.title = "Renamed";
    expect(textOf(await shop.press(done, "Open"))).toContain(idOf());

    dayPasses();
    expect(textOf(await shop.press(done, "Open"))).toContain(idOf());
  });

  it("creates one product however often and however fast it is pressed, and answers each time", async () => {
    const preview = await shop.preview();
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.press(preview, "Create")));
    shop.restart();
    answers.push(await shop.press(preview, "Create"));

    for (const answer of answers) expect(textOf(answer)).toContain(idOf());
    expect(shop.creations()).toBe(1);
  });

  it("leaves the preview usable if the store certainly refused it", async () => {
    const preview = await shop.preview();
    const message = `${"x".repeat(20)} is no title`;
    shop.pretend.fail({ ...creation, status: 422, body: { message }, times: 1 });
    await expect(shop.press(preview, "Create")).rejects.toMatchObject({ code: "invalid", detail: message });

    shop.pretend.fail({ ...creation, status: 401, times: 1 });
    expect(await codeOf(shop.press(preview, "Create"))).toBe("unauthorized");

    await shop.pretend.down();
    expect(await codeOf(shop.press(preview, "Create"))).toBe("unavailable");

    await shop.pretend.up();
    expect(textOf(await shop.press(preview, "Create"))).toContain(idOf());
    expect(shop.pretend.products).toHaveLength(1);
  });

  it.each([
    ["whole", `inventory.content: "*${STOCK.replaceAll("\n", " | ")}*" is in use`],
    ["in capitals", `Serial ${STOCK.slice(0, 15).toLowerCase()} already exists`],
    ["only its end", "duplicate: …bbbb-2222"],
    ["without its dashes", "duplicate: GOODSAAAA1111"],
    ["with spaces", "duplicate: C C C C"],
    ["after emoji", `${"🔴".repeat(20)} ${STOCK.slice(0, 15)}`],
  ])("does not repeat stock that the store spells its own way: %s (0.1.0: it did)", async (_, message) => {
    const preview = await shop.preview();
    shop.pretend.fail({ ...creation, status: 422, body: { message }, times: 1 });
    await expect(shop.press(preview, "Create")).rejects.toMatchObject({ code: "invalid", detail: undefined });
  });

  it("after Cancel creates nothing", async () => {
    const preview = await shop.preview();
    const cancelled = await shop.press(preview, "Cancel");
    expect(textOf(cancelled)).toContain("Nothing was created");

    shop.restart();
    expect(await codeOf(shop.press(preview, "Create"))).toBe("cancelled");
    expect(await codeOf(shop.press(preview, "Create", other))).toBe("someone_elses");

    dayPasses();
    expect(await codeOf(shop.press(preview, "Create"))).toBe("expired");
    expect(await codeOf(shop.press(cancelled, "Bring it back"))).toBe("expired");
    expect(shop.creations()).toBe(0);
  });

  it("wins if it is pressed together with Cancel, or before an Edit", async () => {
    const preview = await shop.preview();
    const modal = await shop.pressForModal(preview, "Edit");
    const [created, cancelled] = await Promise.all([shop.press(preview, "Create"), shop.press(preview, "Cancel")]);

    expect(textOf(created)).toBe(textOf(cancelled));
    expect(textOf(await shop.submit(modal, { fields: { stock: "GOODS-BBBB" } }))).toContain(idOf());
    expect(await codeOf(shop.pressForModal(preview, "Edit"))).toBe("already_done");
    expect(shop.creations()).toBe(1);
  });
});

describe("a creation without a clear answer", () => {
  it.each([{ drop: "after" }, { truncate: true }] as const)("that reached the store is found (%j)", async (how) => {
    const preview = await shop.preview();
    shop.pretend.addProduct({
      categoryId: options.category,
      info: { title: options.title, description: "", images: [], slug: "an-older-one" },
      pricing: { price: options.price },
      createdAt: new Date(Date.now() - hour).toISOString(),
    });
    shop.pretend.fail({ ...creation, ...how, times: 1 });
    const answer = await shop.press(preview, "Create");

    expect(textOf(answer)).toContain("did not confirm, but the product was created");
    expect(textOf(answer)).toContain(idOf(1));
    expect(textOf(await shop.press(answer, "Open"))).toContain(idOf(1));
    expect(textOf(await shop.press(preview, "Create"))).toContain(idOf(1));
    expect(shop.creations()).toBe(1);
  });

  /** The store creates the product only after it has answered that it does not have it. */
  async function lateCreation(preview: MessagePayload) {
    const { promise: hold, resolve } = Promise.withResolvers<void>();
    shop.pretend.fail({ ...creation, hold, times: 1 });
    const pressed = shop.press(preview, "Create");
    await shop.pretend.waitFor(() => shop.creations() === 1, "a creation");
    return {
      async carryOut() {
        vi.advanceTimersByTime(storeLimitMs);
        const answer = await pressed;
        expect(textOf(answer)).toContain("**not in the store yet**");
        resolve();
        await shop.pretend.waitFor(() => shop.pretend.products.length === 1, "a late creation");
        return answer;
      },
    };
  }

  it("that did not reach the store is repeated only on demand, once for each answer", async () => {
    const preview = await shop.preview();
    shop.pretend.fail({ ...creation, drop: "before", times: 2 });
    const first = await shop.press(preview, "Create");
    expect(textOf(first)).toContain("**not in the store yet**");
    expect(buttonsOf(first)).toEqual(["Look again", "Create again", "Cancel"]);

    for (const press of ["Create", "Edit"] as const) {
      if (press === "Create") expect(textOf(await shop.press(preview, press))).toBe(textOf(first));
      else expect(textOf(await shop.submit(await shop.pressForModal(preview, press)))).toBe(textOf(first));
    }
    expect(shop.creations()).toBe(1);

    const twice = await Promise.all([shop.press(first, "Create again"), shop.press(first, "Create again")]);
    for (const answer of twice) expect(textOf(answer)).toBe(textOf(first));
    expect(shop.creations()).toBe(2);

    const done = await shop.press(twice[0], "Create again");
    expect(textOf(done)).toContain(idOf());
    expect(shop.creations()).toBe(3);
    expect(shop.pretend.products).toHaveLength(1);
  });

  it("is found as it was sent, also after a window that was opened during the creation", async () => {
    const preview = await shop.preview();
    const { carryOut } = await lateCreation(preview);
    const window = await shop.pressForModal(preview, "Title and price");
    await carryOut();

    const answer = await shop.submit(window, { fields: { price: "19.90" } });
    expect(textOf(answer)).toContain(idOf());
    expect(shop.creations()).toBe(1);
  });

  it("stays uncertain when a later attempt is certainly refused", async () => {
    const preview = await shop.preview();
    shop.pretend.fail({ ...creation, drop: "before", times: 1 });
    const unsure = await shop.press(preview, "Create");
    shop.pretend.fail({ ...creation, status: 401, times: 1 });

    expect(await codeOf(shop.press(unsure, "Create again"))).toBe("unauthorized");
    expect(textOf(await shop.press(preview, "Create"))).toContain("**not in the store yet**");
    expect(textOf(await shop.press(unsure, "Create again"))).toContain(idOf());
  });

  it("can be corrected when the store refuses a later attempt and does not have the product", async () => {
    const preview = await shop.preview();
    shop.pretend.fail({ ...creation, drop: "before", times: 1 });
    const unsure = await shop.press(preview, "Create");
    shop.pretend.fail({ ...creation, status: 422, times: 1 });
    const refused = await shop.press(unsure, "Create again");
    expect(textOf(refused)).toContain("The store refused this request");

    expect(textOf(await shop.press(unsure, "Look again"))).toContain("nothing has been created yet");
    const corrected = await shop.submit(
      await shop.pressForModal(await shop.press(refused, "Back"), "Title and price"),
      {
        fields: { title: "Corrected" },
      },
    );
    expect(textOf(await shop.press(corrected, "Create"))).toContain(idOf());
    expect(shop.pretend.products.map(({ info }) => info.title)).toEqual(["Corrected"]);
  });

  it("is found when the store refuses a later attempt because it has the product already", async () => {
    const { carryOut } = await lateCreation(await shop.preview());
    const unsure = await carryOut();
    shop.pretend.fail({ ...creation, status: 422, times: 1 });

    expect(textOf(await shop.press(unsure, "Create again"))).toContain(idOf());
    expect(shop.pretend.products).toHaveLength(1);
  });
});

it.each([
  ["reached the store", "the product was created", 0],
  ["did not reach the store", "**not in the store yet**", 1],
] as const)(
  "a restart in the middle of a creation that %s is looked up, and sent again only when asked",
  async (how, sentence, creationsAfter) => {
    const preview = await shop.preview();
    const wasSent = how === "reached the store";
    shop.pretend.fail({ ...creation, drop: wasSent ? "after" : "before", times: 1 });
    const { promise: hold, resolve: answerNow } = Promise.withResolvers<void>();
    shop.pretend.fail({ ...listing, hold, times: 1 });
    // The process ends before it learns the result of the attempt, so the test does not wait for it.
    const left = shop.press(preview, "Create");
    const isAskedFor = () => shop.pretend.requests.some(({ method, isOpen }) => method === "GET" && isOpen);
    await shop.pretend.waitFor(isAskedFor, "the look-up of the product");
    expect(shop.pretend.products).toHaveLength(wasSent ? 1 : 0);
    shop.restart();
    const answer = await shop.press(preview, "Create");
    expect(textOf(answer)).toContain(sentence);
    expect(shop.creations()).toBe(1);

    if (creationsAfter > 0) expect(textOf(await shop.press(answer, "Create again"))).toContain(idOf());
    expect(shop.pretend.products).toHaveLength(1);

    answerNow();
    await left;
  },
);

it("a storage that fails after the creation does not hide the id, and the next press finds it", async () => {
  const preview = await shop.preview();
  const { commit } = shop.storage;
  let writes = 0;
  shop.storage.commit = (steps) => {
    if (steps.some(({ table }) => table.startsWith("drafts:"))) writes += 1;
    return writes === 2 ? Promise.reject(new StorageError("commit", new Error("full"))) : commit(steps);
  };

  expect(textOf(await shop.press(preview, "Create"))).toContain(idOf());
  expect(writes).toBe(2);
  expect(textOf(await shop.press(preview, "Create"))).toContain(idOf());
  expect(shop.creations()).toBe(1);
});

it("a product whose draft is deleted while the store creates it is shown, and nothing is kept", async () => {
  for (const [status, told] of [
    [201, "created"],
    [422, "invalid"],
  ] as const) {
    const preview = await shop.preview();
    const connected = shop.services().connected;
    shop.services().connected = async () => {
      const { store, ...rest } = await connected();
      const createProduct: typeof store.createProduct = async (...asked) => {
        await forgetServer(shop.storage, owner.guildId);
        return store.createProduct(...asked);
      };
      return { ...rest, store: { ...store, createProduct } };
    };
    if (status === 422) shop.pretend.fail({ ...creation, status, times: 1 });
    const pressed = shop.press(preview, "Create").then(
      () => "created",
      ({ code }: { code: string }) => code,
    );
    expect(await pressed).toBe(told);
    shop.services().connected = connected;
    for await (const row of shop.storage.table(stored(`drafts:${owner.guildId}`)).rows()) expect(row).toBeUndefined();
    expect(await codeOf(shop.press(preview, "Create"))).toBe("expired");
  }
});
