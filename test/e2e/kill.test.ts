import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hiddenMarksIn } from "../../src/views/alerts/hidden-mark.ts";
import { type OpenForm, onPostgres, onRedis, onSqlite } from "../support/process/bot-forms.ts";
import { allShown, timesShown } from "../support/process/shown-orders.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/process/world.ts";
import { seed, sized } from "../support/sized.ts";

/** Number of kills at random moments. */
const kills = sized(2, 200);
const forms = sized([onSqlite], [onSqlite, onPostgres, onRedis]).filter(({ isInstalled }) => isInstalled);

// Ways in which the next requests fail. If an answer is lost, the request was carried out.
const tooMany = {
  status: 429,
  headers: { "retry-after": "1" },
  body: { message: "slow down", retry_after: 0.2, global: false },
};
const broken = { status: 500, body: {} };
const unsent = { drop: "before" } as const;
const answerLost = { drop: "after" } as const;
const noJson = { body: "<html>" };
const slow = { delayMs: 400 };

async function ready(form: Pick<OpenForm, "start">) {
  const created = await createWorld();
  const guild = created.discord.addGuild({ channels: ["new-orders", "staff", "keys", "wins"] });
  const world: World = { ...created, guild };
  const bot = await form.start(world);
  await connectStore(world);
  await setAlerts(world);
  return { world, bot };
}

const addRule = (world: World, name: string, place: string, options: Record<string, string>) =>
  run(world, "alerts route add", { name, channel: world.guild.channel(place), ...options }).settled();

/** One mark for each order in each message of a rule. */
const ruleMarks = ({ discord, guild }: World, channel: string) =>
  discord.messages(guild.channel(channel)).flatMap(({ content }) => hiddenMarksIn(content));
/** A message has at most 10 public lines, and a channel takes a message a second. So each line may need 100 ms. */
const allMarked = (world: World, channel: string, count: number) =>
  world.discord.waitFor(
    () => new Set(ruleMarks(world, channel)).size >= count,
    `${count} marks in #${channel}`,
    60_000 + count * 100,
  );

const anyMoment = fc.record({
  lifeMs: fc.integer({ min: 0, max: 1_500 }),
  orders: fc.integer({ min: 0, max: 6 }),
  paid: fc.integer({ min: 0, max: 6 }),
  discord: fc.constantFrom(
    undefined,
    undefined,
    tooMany,
    broken,
    unsent,
    answerLost,
    slow,
    "session" as const,
    "socket" as const,
  ),
  store: fc.constantFrom(undefined, undefined, tooMany, broken, answerLost, noJson, slow),
});

describe(`SIGKILL at ${kills} random moments, with Discord and the store failing at random (seed ${seed})`, () => {
  it.each(forms)(
    "each order has one alert and one message of each rule that it fits: $name",
    async (kind) => {
      await using form = await kind.open();
      const { world, bot } = await ready(form);
      await using _ = world;
      const { discord, store } = world;
      await addRule(world, "Paid", "keys", { status: "PAID" });
      await addRule(world, "Wins", "wins", { style: "feed" });
      await addRule(world, "Paid wins", "wins", { style: "feed", status: "PAID" });
      const placed: string[] = [];
      const paid: string[] = [];
      const place = (count: number) => placed.push(...store.placeOrders(count).map(({ id }) => id));
      const pay = (count: number) => {
        // An order that is paid before its alert has only the alert of the rule for paid orders.
        const shown = placed.filter((id) => !paid.includes(id) && timesShown(world, [id])[0] === 1).slice(0, count);
        for (const id of shown) store.setStatus(id, "PAID");
        paid.push(...shown);
      };
      const ends: (() => void)[] = [];
      let current = bot;
      for (const [index, moment] of fc.sample(anyMoment, { seed, numRuns: kills }).entries()) {
        if (moment.discord === "session") discord.gateway.invalidSession(false);
        else if (moment.discord === "socket") discord.gateway.drop();
        else if (moment.discord)
          ends.push(discord.fail({ method: "POST", path: /messages$/, times: 2, ...moment.discord }));
        // A poll tries each page up to four times.
        if (moment.store) ends.push(store.fail({ path: /checkout\/order/, times: 4, ...moment.store }));
        place(moment.orders);
        pay(moment.paid);
        // The moment of the kill is random, so the test waits for no event.
        await wait(moment.lifeMs);
        place(moment.orders);
        pay(moment.paid);
        await current.kill();
        current = await form.start(world);
        if (index % 50 !== 49) continue;
        // At most 1,000 lines of a rule wait (outbox-bounds.ts), and a slow machine posts hardly any in such short lives.
        // So all are posted now and then, and this life does not meet all failures that earlier lives were too short to meet.
        for (const end of ends.splice(0)) end();
        await allMarked(world, "wins", placed.length + paid.length);
      }
      for (const end of ends) end();
      place(2);
      await allShown(world, placed);
      pay(placed.length);
      const last = store.placeOrder();
      await allShown(world, [last.id]);
      await allMarked(world, "keys", paid.length);
      await allMarked(world, "wins", placed.length + paid.length + 1);

      expect(timesShown(world, placed), `seed ${seed}`).toEqual(placed.map(() => 1));
      expect(ruleMarks(world, "keys"), `seed ${seed}`).toHaveLength(paid.length);
      expect(ruleMarks(world, "wins"), `seed ${seed}`).toHaveLength(placed.length + paid.length + 1);
    },
    120_000 + kills * 8_000,
  );
});
