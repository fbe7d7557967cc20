import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenForm, onPostgres, onRedis, onSqlite, type RunningBot } from "../support/bot-forms.ts";
import { allShown, timesShown } from "../support/shown-orders.ts";
import { seed, sized } from "../support/sized.ts";
import { connectStore, createWorld, setAlerts, type World } from "../support/world.ts";

/** How often the process is killed at a random moment. */
const kills = sized(3, 200);
/** The kinds of storage under it. */
const forms = sized([onSqlite], [onSqlite, onPostgres, onRedis]).filter(({ isInstalled }) => isInstalled);

const channel = (world: World) => world.guild.channel("new-orders");
async function ready(form: Pick<OpenForm, "start">) {
  const world = await createWorld();
  const bot = await form.start(world);
  await connectStore(world);
  await setAlerts(world);
  return { world, bot };
}

const isPost = ({ method, path }: { method: string; path: string }) => method === "POST" && path.endsWith("/messages");

describe("SIGKILL at a step of an alert, then a restart", () => {
  /** Each resolves at the moment to kill at. */
  const moments: Record<string, (world: World) => Promise<unknown>> = {
    "while the store is asked": (world) => {
      world.store.fail({ path: /checkout\/order/, times: 1, delayMs: 300 });
      const asked = world.store.requests.length;
      return world.store.waitFor(() => world.store.requests.length > asked, "a poll");
    },
    "when the message is under way to Discord": (world) => {
      world.discord.fail({ method: "POST", path: /messages$/, times: 1, delayMs: 300 });
      const sent = world.discord.requests.length;
      return world.discord.waitFor(() => world.discord.requests.slice(sent).find(isPost), "a send");
    },
    "when the message never arrived at Discord": (world) => {
      world.discord.fail({ method: "POST", path: /messages$/, times: 1, drop: "before", delayMs: 200 });
      const sent = world.discord.requests.length;
      return world.discord.waitFor(() => world.discord.requests.slice(sent).find(isPost), "a send");
    },
    "when Discord's answer is lost": (world) => {
      world.discord.fail({ method: "POST", path: /messages$/, times: 1, drop: "after" });
      const posted = world.discord.messages(channel(world)).length;
      return world.discord.waitFor(() => world.discord.messages(channel(world))[posted], "the message");
    },
    "when the message stands in the channel": (world) => {
      const posted = world.discord.messages(channel(world)).length;
      return world.discord.waitFor(() => world.discord.messages(channel(world))[posted], "the message");
    },
  };

  let world: World;
  let bot: RunningBot;
  beforeAll(async () => {
    ({ world, bot } = await ready(await onSqlite.open()));
  });
  afterAll(() => world[Symbol.asyncDispose]());

  // `test/unit/alerts-crash.test.ts` kills at every step.
  it.each(Object.keys(moments).slice(sized(3, 0)))("%s: the order is in the channel exactly once", async (name) => {
    const moment = moments[name]?.(world);
    const ids = world.store.placeOrders(2).map(({ id }) => id);
    await moment;
    await bot.kill();
    bot = await world.start();
    await allShown(world, ids, 10_000);
    const later = world.store.placeOrder();
    await allShown(world, [later.id], 10_000);

    expect(timesShown(world, [...ids, later.id])).toEqual([1, 1, 1]);
  });
});

describe(`SIGKILL at ${kills} random moments, with Discord and the store failing at random (seed ${seed})`, () => {
  it.each(forms)(
    "loses and doubles no order: $name",
    async (kind) => {
      await using form = await kind.open();
      const { world, bot } = await ready(form);
      await using _ = world;
      const { discord, store } = world;
      const chances = fc.sample(
        fc.record({
          lifeMs: fc.integer({ min: 0, max: 1_500 }),
          orders: fc.integer({ min: 0, max: 6 }),
          discord: fc.constantFrom("", "", "429", "500", "before", "after", "slow", "session", "socket"),
          store: fc.constantFrom("", "", "429", "500", "drop", "garbage", "slow"),
        }),
        { seed, numRuns: kills },
      );
      const placed: string[] = [];
      let current = bot;
      const heal: (() => void)[] = [];
      for (const chance of chances) {
        const path = /messages$/;
        if (chance.discord === "429") {
          heal.push(
            discord.fail({
              method: "POST",
              path,
              times: 1,
              status: 429,
              body: { message: "slow", retry_after: 0.2, global: false },
              headers: { "retry-after": "1" },
            }),
          );
        } else if (chance.discord === "500")
          heal.push(discord.fail({ method: "POST", path, times: 2, status: 500, body: {} }));
        else if (chance.discord === "before" || chance.discord === "after")
          heal.push(discord.fail({ method: "POST", path, times: 1, drop: chance.discord }));
        else if (chance.discord === "slow") heal.push(discord.fail({ method: "POST", path, times: 1, delayMs: 400 }));
        else if (chance.discord === "session") discord.gateway.invalidSession(false);
        else if (chance.discord === "socket") discord.gateway.drop();
        const orders = /checkout\/order/;
        if (chance.store === "429")
          heal.push(store.fail({ path: orders, times: 1, status: 429, headers: { "retry-after": "1" } }));
        else if (chance.store === "500") heal.push(store.fail({ path: orders, times: 4, status: 500 }));
        else if (chance.store === "drop") heal.push(store.fail({ path: orders, times: 2, drop: "after" }));
        else if (chance.store === "garbage") heal.push(store.fail({ path: orders, times: 1, garbage: "<html>" }));
        else if (chance.store === "slow") heal.push(store.fail({ path: orders, times: 1, delayMs: 400 }));
        placed.push(...store.placeOrders(chance.orders).map(({ id }) => id));
        // The moment of the kill is what is random here: nothing is waited for.
        await wait(chance.lifeMs);
        placed.push(...store.placeOrders(chance.orders).map(({ id }) => id));
        await current.kill();
        current = await form.start(world);
      }
      // Faults that no life was long enough to meet would all meet the last one.
      for (const end of heal) end();
      await allShown(world, placed, 60_000);
      const last = store.placeOrder();
      await allShown(world, [last.id], 30_000);
      const times = timesShown(world, placed);
      console.info(
        `${kind.name}: ${kills} kills, ${placed.length} orders, seed ${seed}: lost ${times.filter((n) => n === 0).length}, doubled ${times.filter((n) => n > 1).length}`,
      );

      expect(times, `seed ${seed}`).toEqual(placed.map(() => 1));
    },
    120_000 + kills * 5_000,
  );
});
