import { randomBytes } from "node:crypto";
import { test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { alertOf, allShown, timesShown } from "../support/process/shown-orders.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/process/world.ts";

const newKey = () => randomBytes(32).toString("base64");
const said = ({ discord, guild }: World, words: string) =>
  discord
    .messages(guild.channel("new-orders"))
    .map(textOf)
    .filter((text) => text.includes(words));
const statusOf = async (world: World) => textOf(await run(world, "alerts status").settled());
const notice = "The saved API token can no longer be read";

test.concurrent("a lost key is one notice in the alert channel, a restart later too, and no order is lost", async ({
  expect,
}) => {
  await using world = await createWorld();
  const [known, other] = [newKey(), newKey()];
  const first = await world.start({ SECRET_KEYS: known });
  await connectStore(world);
  await setAlerts(world);
  await first.stop();
  const order = world.store.placeOrder();

  for (let start = 0; start < 2; start++) {
    const lost = await world.start({ SECRET_KEYS: other });
    const warning = JSON.parse(await lost.printed("no key opens this server's API token"));
    expect(warning).toMatchObject({ level: 40, guild: world.guild.id });
    const line = JSON.parse(await lost.printed("are encrypted with the first key"));
    expect(line).toMatchObject({ renewed: 0, remaining: 1 });
    await lost.printed('"msg":"ready"');
    // The bot throttles a person who asks more often.
    await expect.poll(() => statusOf(world), { interval: 2_000 }).toContain("The saved API token could not be read");
    await world.discord.waitFor(() => said(world, notice)[0], "the notice");
    expect(said(world, notice)).toEqual([expect.stringContaining("/store connect")]);
    expect((await lost.stop()).code).toBe(0);
  }

  await world.start({ SECRET_KEYS: `${other},${known}` });
  await alertOf(world, order.id);

  expect(said(world, notice)).toHaveLength(1);
});

test.concurrent("of two processes the second one waits; its new first key stops no alerts, and it goes on with the alerts and that key once the first one is killed", async ({
  expect,
}) => {
  await using world = await createWorld();
  const { store } = world;
  const [older, newer] = [newKey(), newKey()];
  const polling = await world.start({ SECRET_KEYS: older });
  await connectStore(world);
  await setAlerts(world);
  const standby = await world.start({ SECRET_KEYS: `${newer},${older}` });
  await standby.printed("another process polls on this storage already");
  // Whichever process answers, it reads the server's record.
  for (let times = 0; times < 2; times++) await run(world, "alerts status").settled();
  // The polling process reads its record again, as after any change.
  await run(world, "store settings", { privacy: "full" }).settled();
  const ids = store.placeOrders(12).map(({ id }) => id);
  await allShown(world, ids);
  expect(standby.output()).not.toContain("are encrypted with the first key");

  await polling.kill();

  const line = JSON.parse(await standby.printed("are encrypted with the first key"));
  expect(line).toMatchObject({ level: 30, renewed: 1, remaining: 0 });

  ids.push(store.placeOrder().id);
  await allShown(world, ids);
  expect(timesShown(world, ids)).toEqual(ids.map(() => 1));
  expect(said(world, notice)).toEqual([]);
});
