import { createVault } from "../../src/guilds/vault.ts";
import { draftsKind } from "../../src/sessions/drafts.ts";
import { listsKind } from "../../src/sessions/session-kinds.ts";
import { createSessions } from "../../src/sessions/sessions.ts";
import { openStorage, storageOf } from "../../src/storage/open-storage.ts";
import { silentLog } from "../support/recorded-log.ts";
import { product } from "../support/store-client.ts";
import type { Work } from "./work.ts";

const vault = createVault([Buffer.alloc(32, 1)]);
const mayKeep = async () => [];
const owner = { guildId: "1", userId: "2" };
/** Bytes of the largest file of stock. */
const stockBytes = 1_048_576;

/** Drafts with a mebibyte of stock, and the count of 200 lists in each of 1,000 servers. */
export async function* worksOfSessions(): AsyncIterable<Work> {
  const storage = await openStorage("sqlite://:memory:", silentLog);
  const drafts = createSessions({ storage, vault, mayKeep }, draftsKind);
  // Quotes and line breaks take twice the bytes of letters in JSON.
  for (const text of ["k", '"', "a\n"]) {
    const inventory = { type: "SERIAL", content: text.repeat(stockBytes / text.length) } as const;
    const draft = { stage: "open", product: { ...product, inventory } } as const;
    yield { what: `a draft of ${JSON.stringify(text)}, kept`, run: () => drafts.keep(owner, draft) };
    const name = await drafts.keep(owner, draft);
    yield { what: `a draft of ${JSON.stringify(text)}, found`, run: () => drafts.find(name, owner) };
  }
  await storage.close();
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
    removeExpired: async () => undefined,
    close: async () => undefined,
  });
  // A new instance counts again.
  const run = () => createSessions({ storage: full, vault, mayKeep }, listsKind).keep(owner, {});
  yield { what: "200,000 lists, counted", run };
}
