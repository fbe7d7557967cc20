import { afterEach, beforeEach, expect, it } from "vitest";
import { budgets } from "../../src/basics/budgets.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { createDrafts } from "../../src/sessions/drafts.ts";
import { importFilesKind } from "../../src/sessions/session-kinds.ts";
import { createSessions, keptTable } from "../../src/sessions/sessions.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/table.ts";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import { longestTurnAtBest } from "../support/thread-time.ts";

const vault = createVault([Buffer.alloc(32, 1)]);
const owner = { guildId: "1", userId: "2" };
/** What a file of stock may have. */
const stockBytes = 1_048_576;

let storage: Storage;
beforeEach(async () => {
  storage = await openStorage("sqlite://:memory:", { warn() {} });
});
afterEach(() => storage.close());

// Quotes take twice the room of letters where they are kept, and line breaks too.
it.each([
  ["letters", "k"],
  ["quotes", '"'],
  ["line breaks", "a\n"],
])("a draft with a mebibyte of stock holds no event loop, kept and found: %s", async (_, text) => {
  const drafts = createDrafts({ storage, vault });
  const product: NewProduct = {
    type: "DEFAULT",
    categoryId: "3fa85f64-5717-4562-b3fc-2c963f66afa6",
    info: { title: "t" },
    pricing: { price: 1 },
    inventory: { type: "SERIAL", content: text.repeat(stockBytes / text.length) },
  };
  let name = "";
  const keep = async () => {
    name = await drafts.start(owner, product);
  };
  expect(await longestTurnAtBest(keep)).toBeLessThan(budgets.eventLoopMs);
  expect(await longestTurnAtBest(() => drafts.find(name, owner))).toBeLessThan(budgets.eventLoopMs);
});

it("what stands behind the buttons of an import has some hundred bytes, however large its file is", async () => {
  const files = createSessions({ storage, vault }, importFilesKind);
  const url = `https://cdn.discordapp.com/ephemeral-attachments/1/2/products.csv?${"x".repeat(300)}`;
  await files.keep(owner, { url, bytes: 1_048_576, digest: "d".repeat(43) });
  const [entry] = (await storage.table(keptTable("import-plans")).get(owner.guildId)) ?? [];
  expect(entry?.bytes).toBeLessThan(1_000);
});
