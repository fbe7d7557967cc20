import { expect, it } from "vitest";
import { budgets } from "../../src/basics/limits/budgets.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { draftsKind } from "../../src/sessions/drafts.ts";
import { listsKind } from "../../src/sessions/session-kinds.ts";
import { createSessions } from "../../src/sessions/sessions.ts";
import { storageOf } from "../../src/storage/open-storage.ts";
import { product } from "../support/store-client.ts";
import { longestTurnAtBest } from "../support/thread-time.ts";
import { useStorage } from "../support/use-storage.ts";

const vault = createVault([Buffer.alloc(32, 1)]);
const mayKeep = async () => [];
const owner = { guildId: "1", userId: "2" };
/** Bytes of the largest file of stock. */
const stockBytes = 1_048_576;

const storage = useStorage();

// Quotes and line breaks take twice the bytes of letters in JSON.
it.each([
  ["letters", "k"],
  ["quotes", '"'],
  ["line breaks", "a\n"],
])("a draft with a mebibyte of stock holds no event loop, kept and found: %s", async (_, text) => {
  const drafts = createSessions({ storage, vault, mayKeep }, draftsKind);
  const inventory = { type: "SERIAL", content: text.repeat(stockBytes / text.length) } as const;
  let name = "";
  const keep = async () => {
    name = await drafts.keep(owner, { stage: "open", product: { ...product, inventory } });
  };
  expect(await longestTurnAtBest(keep)).toBeLessThan(budgets.eventLoopMs);
  expect(await longestTurnAtBest(() => drafts.find(name, owner))).toBeLessThan(budgets.eventLoopMs);
});

it("what 1,000 servers with 200 lists each hold is counted, and holds no event loop", async () => {
  const entry = {
    name: "n".repeat(12),
    userId: "1".repeat(19),
    bytes: 480,
    until: Date.now() + 60_000,
    isPinned: false,
  };
  const raw = JSON.stringify({ value: Array.from({ length: 200 }, () => entry), v: 1 });
  const full = storageOf({
    digest: "sha1",
    read: async (_, keys) => keys.map(() => undefined),
    // Redis returns a thousand rows at once.
    async *entries() {
      yield Array.from({ length: 1_000 }, (_, nth) => ({ table: "kept:lists", key: `1${nth}`, raw }));
    },
    commit: async () => true,
    clear: async () => undefined,
    close: async () => undefined,
  });
  // A new instance counts again.
  const count = () => createSessions({ storage: full, vault, mayKeep }, listsKind).keep(owner, {});
  expect(await longestTurnAtBest(count)).toBeLessThan(budgets.eventLoopMs);
});
