import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createVault } from "../../src/guilds/vault.ts";
import { draftsKind } from "../../src/sessions/drafts.ts";
import { listsKind } from "../../src/sessions/session-kinds.ts";
import { createSessions } from "../../src/sessions/sessions.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/table.ts";
import { codeOf } from "../support/code-of.ts";
import { stored, storedBefore } from "../support/stored.ts";

describe("a session that is not what it must be is over", () => {
  const vault = createVault([Buffer.alloc(32, 7)]);
  const ana = { guildId: "1", userId: "ana" };
  const name = "AbCdEf-_1234";
  const product = {
    type: "DEFAULT",
    categoryId: "6f1c2a34-8b1d-4c53-9a57-0d2f6c1e7a09",
    info: { title: "Moon Racer" },
    pricing: { price: 1 },
    inventory: { type: "SERIAL" },
  };
  const draftOf = (value: object) => vault.seal(JSON.stringify(value), `1 drafts ${name}`);
  let storage: Storage;
  beforeEach(async () => {
    storage = await openStorage("sqlite://:memory:", { warn: () => undefined });
  });
  afterEach(() => storage.close());

  it.each([
    ["no record", 5],
    ["sealed as something else", { userId: "ana", sealed: vault.seal('{"statuses":5}', `1 lists ${name}`) }],
  ])("where it is %s", async (_, value) => {
    const lists = createSessions({ storage, vault }, listsKind);
    await storage.table(stored("lists:1")).set(name, value);
    expect(await codeOf(lists.find(name, ana))).toBe("expired");
    expect(await codeOf(lists.take(name, ana))).toBe("expired");
  });

  it("where its list is malformed, new ones are kept all the same", async () => {
    const lists = createSessions({ storage, vault }, listsKind);
    await storage.table(stored("kept:lists")).set("1", 5);
    const kept = await lists.keep(ana, { title: "x" });
    expect(await lists.find(kept, ana)).toEqual({ title: "x" });
  });

  it.each<[string, object]>([
    ["of 0.1.0, whose product alone was sealed", { sealed: draftOf(product) }],
    ["of 0.1.0, with nothing sealed", { productId: "p", title: "x" }],
    ["malformed", { sealed: draftOf({ stage: "open" }) }],
    ["sealed with a key that is gone", { sealed: createVault([Buffer.alloc(32, 8)]).seal("{}", `1 drafts ${name}`) }],
  ])("a draft that is %s", async (_, record) => {
    const drafts = createSessions({ storage, vault }, draftsKind);
    await storage.table(storedBefore("drafts:1")).set(name, { userId: "ana", ...record });
    expect(await codeOf(drafts.find(name, ana))).toBe("expired");
  });

  it("and one that is as it must be is found", async () => {
    const drafts = createSessions({ storage, vault }, draftsKind);
    const sealed = draftOf({ stage: "open", product });
    await storage.table(stored("drafts:1")).set(name, { userId: "ana", sealed });
    expect(await drafts.find(name, ana)).toEqual({ stage: "open", product });
  });
});
