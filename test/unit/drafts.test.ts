import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { budgets } from "../../src/basics/limits/budgets.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { type Draft, draftsKind } from "../../src/sessions/drafts.ts";
import { createSessions, type Sessions } from "../../src/sessions/sessions.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/table.ts";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import { codeOf } from "../support/code-of.ts";
import { keysIn, storedBefore } from "../support/stored.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const guildId = "100000000000000001";
const by = (userId: string) => ({ guildId, userId });
const product: NewProduct = {
  type: "DEFAULT",
  categoryId: "6f1c2a34-8b1d-4c53-9a57-0d2f6c1e7a09",
  info: { title: "Moon Racer" },
  pricing: { price: 1 },
  inventory: { type: "SERIAL" },
};

let storage: Storage;
let clock: number;
const now = () => clock;

beforeEach(async () => {
  storage = await openStorage("sqlite://:memory:", log);
  clock = Date.now();
});
afterEach(() => storage.close());

const namesIn = async (table: string) => (await keysIn(storage, table)).sort();

describe("drafts", () => {
  const vault = createVault([randomBytes(32)]);
  let drafts: Sessions<Draft>;
  beforeEach(() => {
    drafts = createSessions({ storage, vault, mayKeep: async () => [], now }, draftsKind);
  });
  const stageOf = (name: string, userId = "ana") => codeOf(drafts.find(name, by(userId)));

  const most = budgets.drafts.ofPerson.count;

  it("of 0.1.0 have expired", async () => {
    for (const record of [
      { sealed: vault.seal(JSON.stringify(product), `${guildId} drafts AbCdEf-_1234`) },
      { title: "x" },
    ]) {
      await storage.table(storedBefore(`drafts:${guildId}`)).set("AbCdEf-_1234", { userId: "ana", ...record });
      expect(await stageOf("AbCdEf-_1234")).toBe("expired");
    }
  });

  it("whose creation is under way or unclear stay, so that no product is sent twice", async () => {
    const unclear = await drafts.keep(by("ana"), { stage: "open", product });
    await drafts.use(unclear, by("ana"), async (_, keep) =>
      keep({ stage: "open", product, attempt: { count: 1, since: clock } }),
    );
    for (let count = 0; count < 4 * most; count += 1) await drafts.keep(by("ana"), { stage: "open", product });
    expect(await drafts.find(unclear, by("ana"))).toMatchObject({ stage: "open", attempt: { count: 1 } });
    expect(await namesIn(`drafts:${guildId}`)).toHaveLength(most);

    await drafts.use(unclear, by("ana"), async (_, keep) => keep({ stage: "created", productId: "p", title: "x" }));
    for (let count = 0; count < most; count += 1) await drafts.keep(by("ana"), { stage: "open", product });
    expect(await stageOf(unclear)).toBe("expired");
  });

  it("that were cancelled come back as long as there is room for them, and take none from others", async () => {
    const unclear = await drafts.keep(by("ana"), { stage: "open", product });
    const cancelled = { stage: "open", product, attempt: { count: 1, since: clock }, isCancelled: true } as const;
    await drafts.use(unclear, by("ana"), (_, keep) => keep(cancelled));
    const others: string[] = [];
    for (let count = 1; count < most; count += 1) others.push(await drafts.keep(by("ana"), { stage: "open", product }));
    const bringBack = () => drafts.use(unclear, by("ana"), (draft, keep) => keep(draft)).then(() => "back");
    expect(await bringBack()).toBe("back");
    expect(await namesIn(`drafts:${guildId}`)).toEqual([unclear, ...others].sort());

    for (let count = 0; count < most; count += 1) await drafts.keep(by("ana"), { stage: "open", product });
    expect(await codeOf(bringBack())).toBe("expired");
    expect(await namesIn(`drafts:${guildId}`)).toHaveLength(most);
  });
});
