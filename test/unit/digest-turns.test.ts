import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createDigestTurns } from "../../src/digests/digest-turns.ts";
import { marksOf } from "../../src/discord/rest/rest-messenger.ts";
import { type AlertWorld, createAlertWorld, type Life, type MemoryStore } from "../support/alert-world.ts";

const hourMs = 60 * 60_000;
const guildIds = Array.from({ length: 9 }, (_, index) => `100000000000000000${index}`);
const channelOf = (guildId: string) => `2${guildId.slice(1)}`;
const last = guildIds.at(-1) ?? "";
const deadline = { timeout: 10_000 };

let world: AlertWorld;
let life: Life;

/** A list of which every page brings an order of today, and names more pages. */
function endless({ store, now }: AlertWorld): MemoryStore & { asked: number } {
  const [order] = store.place(1);
  const one = {
    ...store,
    asked: 0,
    async listOrders() {
      one.asked += 1;
      const items = order ? [{ ...order, id: `order-${one.asked}`, createdAt: now() }] : [];
      return { items, lastPage: 1_000_000, skipped: 0, servedAt: now() };
    },
  };
  return one;
}

const digestsIn = (place: string) =>
  world.channel.messages.filter(
    (message) =>
      message.place === place && marksOf(message.payload.components).some((mark) => mark.startsWith("stats:")),
  );

/** Eight servers whose lists have no end and one whose list is short, of all of which a digest is due. */
async function whenAllAreDue() {
  world = await createAlertWorld();
  life = world.start();
  const midnight = Math.ceil(world.now() / (24 * hourMs)) * 24 * hourMs;
  world.pass(midnight + 8 * hourMs - world.now());
  const stores = guildIds.slice(0, -1).map((_, index) => {
    const store = endless(world);
    world.stores.set(`100${index}`, store);
    return store;
  });
  for (const [index, guildId] of guildIds.entries()) {
    await life.guilds.connect(guildId, `token-100${index}`);
    await life.alerts.setDigest(guildId, { channelId: channelOf(guildId), every: "day", hour: 9, timezone: "UTC" });
  }
  world.pass(hourMs);
  for (const guildId of guildIds.slice(0, -1)) await life.alerts.poll(guildId);
  await vi.waitFor(() => expect(stores.map(({ asked }) => asked > 0)).not.toContain(false), deadline);
}

describe("a digest for which there is no place", () => {
  afterEach(async () => {
    for (const guildId of guildIds) await life.alerts.forget(guildId, async () => undefined);
    await world.storage.close();
  });

  it("waits for no store that has no end", async () => {
    await whenAllAreDue();
    await life.alerts.poll(last);
    world.pass(2 * 60_000);
    await vi.waitFor(async () => {
      await life.alerts.poll(last);
      expect(digestsIn(channelOf(last))).toHaveLength(1);
    }, deadline);
  });

  it("has its server's store polled no more often", async () => {
    await whenAllAreDue();
    expect(await life.alerts.poll(last)).toBeGreaterThanOrEqual(60_000);
  });
});

describe("digests that take long", () => {
  let now = 0;

  /** Begins so many, each of a list of so many pages. Gives how many pages each that has begun has read. */
  function read(digests: number, pagesEach: number) {
    const turns = createDigestTurns(() => now);
    const pages = new Map<number, number>();
    const ending = new AbortController();
    const all = Array.from({ length: digests }, async (_, index) => {
      const turn = await turns.begin(ending.signal);
      for (let page = 0; page < pagesEach && !ending.signal.aborted; page++) {
        await turn.goOn();
        pages.set(index, page + 1);
        now += 1_000;
        await setImmediate();
      }
      turn.end();
    });
    return { pages, ending, ended: Promise.allSettled(all) };
  }

  it("keep what they have read of no more than some of them", async () => {
    const { pages, ending, ended } = read(100, Number.POSITIVE_INFINITY);
    await vi.waitFor(() => expect(Math.max(...pages.values())).toBeGreaterThan(200), deadline);
    ending.abort();
    await ended;
    expect(pages.size).toBeGreaterThan(8);
    expect(pages.size).toBeLessThanOrEqual(24);
  });

  it("let each other go first again and again, each until it has read 10,000 pages", async () => {
    const turns = createDigestTurns(() => now, 1);
    const { signal } = new AbortController();
    const long = await turns.begin(signal);

    /** Whether it lets another one go first, which comes when it has read so many pages. */
    async function letsGoFirst(pages: number) {
      for (let page = 0; page < pages; page++) await long.goOn();
      const other = turns.begin(signal);
      now += 60_000;
      const going = long.goOn();
      const first = await Promise.race([other.then(() => "other"), going.then(() => "long")]);
      if (first === "long") long.end();
      (await other).end();
      await going;
      return first === "other";
    }

    expect(await letsGoFirst(6_000)).toBe(true);
    for (let times = 0; times < 20; times++) expect(await letsGoFirst(1)).toBe(true);
    expect(await letsGoFirst(5_000)).toBe(false);
  });

  it("are all read to the end where they have one", async () => {
    const { pages, ended } = read(100, 100);
    await ended;
    expect([...pages.values()]).toEqual(Array.from({ length: 100 }, () => 100));
  });
});
