import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { createBotClock } from "../support/bot-clock.ts";
import { sentenceOf } from "../support/checks.ts";
import { allShown, timesShown } from "../support/shown-orders.ts";
import { seed, sized } from "../support/sized.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/world.ts";

const minuteMs = 60_000;
/** How often the process is killed. `test/unit/alerts-reminders.test.ts` kills at each step. */
const kills = sized(1, 100);

const isReminder = ({ method, body }: { method: string; body?: unknown }) =>
  method === "POST" && JSON.stringify(body ?? {}).includes("⏰");
const reminders = ({ discord, guild }: World) =>
  discord.messages(guild.channel("new-orders")).filter((message) => textOf(message).includes("⏰"));
const timesReminded = (world: World, ids: readonly string[]) => {
  const texts = reminders(world).map((message) => JSON.stringify(message.components));
  return ids.map((id) => texts.filter((text) => text.includes(id)).length);
};

test.concurrent("/alerts remind shows what is set, and refuses values that it cannot read", async () => {
  await using world = await createWorld();
  const bot = await world.start();
  await connectStore(world);
  await setAlerts(world);
  const remind = (options: Record<string, string> = {}) => run(world, "alerts remind", options);
  expect(textOf(await remind().settled())).toContain("Reminders are off");
  await run(world, "store settings", { timezone: "Europe/Lisbon" }).settled();
  const ours = await remind({ after: "30m", quiet: "22-8" }).settled();
  expect(textOf(ours)).toContain("No reminders from 22:00 to 08:00 (Europe/Lisbon).");
  expect(textOf(await remind({ after: "2 horas", quiet: "22-8", timezone: "America/Sao_Paulo" }).settled())).toMatch(
    /2 hours after its alert.*\nNo reminders from 22:00 to 08:00 \(America\/Sao_Paulo\)\./,
  );
  expect(textOf(await remind({ after: "30m" }).settled())).toMatch(/30 minutes after.*\nNo reminders from 22:00/);
  for (const [option, typed] of Object.entries({ after: "soon", quiet: "25-3", timezone: "Mars" })) {
    expect(await sentenceOf(remind({ [option]: typed }), bot)).toContain("Nothing was changed");
  }
  expect(textOf(await remind({ quiet: "off" }).settled())).not.toContain("No reminders");
  expect(textOf(await remind({ after: "off" }).settled())).toContain("Reminders are off");
  expect(textOf(await run(world, "store log").settled())).toContain("Reminders: **120 min**");
});

test.concurrent(`SIGKILL ${kills} times amid reminders: each order has one reminder (seed ${seed})`, {
  timeout: 60_000 + kills * 20_000,
}, async () => {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  await using world = await createWorld({
    discordNow: now,
    storeNow: now,
    // After half an hour Discord has forgotten the session, so each life identifies.
    discord: { identifyEveryMs: 0 },
  });
  const start = () => world.start(createBotClock(world.directory, aheadMs).environment);
  let bot = await start();
  await connectStore(world);
  await setAlerts(world, { role: world.guild.role("Staff") });
  await run(world, "alerts remind", { after: "30m" }).settled();
  const ids = world.store.placeOrders(5).map(({ id }) => id);
  await allShown(world, ids, 15_000);
  const anyLife = fc.record({ reminds: fc.boolean(), lifeMs: fc.integer({ min: 0, max: 1_000 }) });
  const lives = fc.sample(anyLife, { seed, numRuns: kills });
  const slow = { method: "POST", path: /messages$/, times: 2, delayMs: 300 };
  let before = 0;
  const hasArrived = () =>
    world.discord.requests.slice(before).every(({ status }) => status !== undefined) || undefined;
  for (const { reminds, lifeMs } of lives) {
    await bot.kill();
    await world.discord.waitFor(hasArrived, "what was on its way");
    // Orders announced in the life before are due for a reminder in this one, and Discord has forgotten the nonces of that life.
    const due = ids.filter((id) => timesShown(world, [id])[0] === 1);
    aheadMs += 31 * minuteMs;
    ids.push(world.store.placeOrder().id);
    // Often a message is on its way at the kill, and arrives all the same.
    const heal = world.discord.fail(slow);
    before = world.discord.requests.length;
    bot = await start();
    const isUnderWay = () =>
      world.discord.requests.slice(before).some(isReminder) || !timesReminded(world, due).includes(0) || undefined;
    if (reminds) await world.discord.waitFor(isUnderWay, "a reminder", 30_000);
    // The moment of the kill is random, so the test waits for no event.
    await wait(reminds ? lifeMs / 3 : lifeMs);
    heal();
  }
  await allShown(world, ids, 15_000);
  await bot.kill();
  aheadMs += 31 * minuteMs;
  await start();
  await world.discord.waitFor(
    () => (timesReminded(world, ids).every((times) => times > 0) ? true : undefined),
    "every reminder",
    60_000,
  );
  const next = world.store.placeOrder();
  await allShown(world, [next.id], 15_000);
  expect(timesReminded(world, ids)).toEqual(ids.map(() => 1));
  expect(reminders(world).every(({ mention_roles }) => mention_roles.length === 1)).toBe(true);
});
