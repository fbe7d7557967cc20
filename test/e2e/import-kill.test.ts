import { expect, it } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { createBotClock } from "../support/bot-clock.ts";
import { connectStore, createWorld, run } from "../support/world.ts";

const creation = { method: "POST", path: /catalog\/product$/ };
const category = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
/** After half a minute an import counts as dead. After a minute the product that it sent last may be sent again. */
const aLittleLaterMs = 90_000;

// `test/unit/import-kill.test.ts` kills at every step.
it("Cancel reports that an import was killed, and a press continues the import", async () => {
  await using world = await createWorld();
  const { discord, guild, store, directory } = world;
  const bot = await world.start(createBotClock(directory).environment);
  await connectStore(world);
  const owner = guild.person("owner");
  const text = ["title,price,categoryId", ...["One", "Two", "Three"].map((title) => `${title},1,${category}`)].join(
    "\n",
  );
  const file = discord.upload("products.csv", Buffer.from(text), "text/csv");
  const preview = await run(world, "import-products", { file }).settled();
  const undo = store.fail({ ...creation, hold: new Promise(() => undefined), when: () => store.products.length === 1 });
  discord.press(owner, preview, "Create 3 products");
  const progress = await discord.waitFor(() => {
    const message = discord.messagesFor(owner, guild.channel("staff")).find(({ id }) => id === preview.id);
    return message && textOf(message).includes("1 of 3 created") ? message : undefined;
  }, "progress");
  await bot.kill();
  undo();

  const clock = createBotClock(directory);
  const next = await world.start(clock.environment);
  // Another process may still be at work.
  const soon = await discord.press(owner, progress, "Cancel").settled();
  expect(textOf(soon)).toContain(
    "If it does not change, the bot was restarted: press **Cancel** again in half a minute.",
  );
  await clock.set(next, aLittleLaterMs);
  const answer = await discord.press(owner, progress, "Cancel").settled();
  expect(textOf(answer)).toMatch(/^⚠️ That import is no longer running: it has ended, or the bot was restarted\./);

  discord.press(owner, answer, "Create the remaining");
  await discord.waitFor(
    () => discord.messagesFor(owner, guild.channel("staff")).find(({ id }) => id === answer.id)?.attachments[0],
    "the result",
  );
  expect(store.products.map(({ info }) => info.title)).toEqual(["One", "Two", "Three"]);
});
