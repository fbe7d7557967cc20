import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { sentenceOf } from "../support/checks.ts";
import { type Bot, connectStore, createWorld, run, setAlerts, type World } from "../support/world.ts";

const newKey = () => randomBytes(32).toString("base64");
const said = ({ discord, guild }: World, words: string) =>
  discord
    .messages(guild.channel("new-orders"))
    .map(textOf)
    .filter((text) => text.includes(words));
const notice = "The saved API token can no longer be read";
const unread = "The saved API token can no longer be read";
/** Polls begin before the bot is ready: by the first of these answers one has, and by the last it has ended. */
const mostLooks = 10;

/** A poll of this process has found that no key opens the token. */
async function pollFailed(world: World, bot: Bot) {
  await bot.printed('"msg":"ready"');
  for (let look = 0; look < mostLooks; look++) {
    if (textOf(await run(world, "alerts status").settled()).includes(unread)) return;
  }
  expect.unreachable("no poll of this process has failed");
}

test("a lost key is one notice in the alert channel, a restart later too, and no order is lost", async () => {
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
    const line = JSON.parse(await lost.printed("are sealed with the first key"));
    expect(line).toMatchObject({ renewed: 0, remaining: 1 });
    await pollFailed(world, lost);
    await world.discord.waitFor(() => said(world, notice)[0], "the notice");
    expect(said(world, notice)).toEqual([expect.stringContaining("/store connect")]);
    expect((await lost.stop()).code).toBe(0);
  }

  await world.start({ SECRET_KEYS: `${other},${known}` });
  await world.discord.waitFor(() => said(world, order.id)[0], "the alert");

  expect(said(world, notice)).toHaveLength(1);
});

test("every command that needs the token says that it cannot be read, and what to do", async () => {
  await using world = await createWorld();
  const first = await world.start({ SECRET_KEYS: newKey() });
  await connectStore(world);
  await first.stop();

  const lost = await world.start({ SECRET_KEYS: newKey() });
  await lost.printed('"msg":"ready"');
  const channel = world.guild.channel("new-orders");
  const id = world.store.placeOrder().id;
  for (const [name, options] of [
    ["orders", {}],
    ["order", { id }],
    ["products", {}],
    ["store status", {}],
    ["alerts set", { channel }],
  ] as const) {
    const sentence = await sentenceOf(run(world, name, options), lost);
    expect(sentence, name).toContain(unread);
    expect(sentence, name).toContain("`/store connect`");
  }

  expect(textOf(await run(world, "store settings").settled())).toContain("### ✅ Settings");
  expect(await connectStore(world)).toContain("Your store is connected");
  expect(textOf(await run(world, "orders").settled())).not.toContain(unread);
});

test("keys are rotated by two restarts, though nobody uses the bot in between (0.1.0: what was not used stayed)", async () => {
  await using world = await createWorld();
  const [older, newer] = [newKey(), newKey()];
  const first = await world.start({ SECRET_KEYS: older });
  await connectStore(world);
  await first.stop();

  const both = { SECRET_KEYS: `${newer},${older}` };
  for (const renewed of [1, 0]) {
    // The gateway does not connect: a READY is not what it waits for.
    world.discord.gateway.refuse(true);
    const rotating = world.launch(both);
    const line = JSON.parse(await rotating.printed("are sealed with the first key"));
    expect(line).toMatchObject({ level: 30, renewed, remaining: 0 });
    world.discord.gateway.refuse(false);
    await rotating.stop();
  }

  await world.start({ SECRET_KEYS: newer });
  expect(textOf(await run(world, "orders").settled())).not.toContain(unread);
});
