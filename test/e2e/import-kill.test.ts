import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { buttonsOf, type Interaction, textOf } from "../sandbox/discord/discord.ts";
import { createBotClock } from "../support/bot-clock.ts";
import { type Failure, failNext } from "../support/fail-at-random.ts";
import { seed, sized } from "../support/sized.ts";
import { connectStore, createWorld, run } from "../support/world.ts";

/** How often the process is killed in the middle of an import. */
const kills = sized(2, 100);
const creation = { method: "POST", path: /catalog\/product$/ };
const category = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
/** After half a minute an import counts as dead. After a minute the product that it sent last may be sent again. */
const aLittleLaterMs = 90_000;

const isCreate = ({ label = "" }: { readonly label?: string | undefined }) => label.startsWith("Create");

it(
  `SIGKILL at ${kills} random moments of imports, with a store that fails at random, creates each product once (seed ${seed})`,
  async () => {
    await using world = await createWorld();
    const { discord, guild, store, directory } = world;
    let ahead = 0;
    const start = () => world.start(createBotClock(directory, ahead).environment);
    let bot = await start();
    await connectStore(world);
    const chances = fc.sample(
      fc.record({
        /** With longer lives no product would be left for the last kills. */
        lifeMs: fc.integer({ min: 0, max: 1_500 }),
        fault: fc.constantFrom<Failure>("none", "none", "before", "after", "truncate", "429", "slow"),
      }),
      { seed, numRuns: kills },
    );
    const titles = Array.from({ length: 3 + kills * 2 }, (_, index) => `Product ${index + 1}`);
    const text = ["title,price,categoryId", ...titles.map((title) => `${title},1,${category}`)].join("\n");
    const file = discord.upload("products.csv", Buffer.from(text), "text/csv");
    const owner = guild.person("owner");
    /** Sends the file and presses Create; undefined if no product is left to create. */
    async function begin(): Promise<Interaction | undefined> {
      const preview = await run(world, "import-products", { file }).settled();
      // The press that a kill left without an answer may be reading the file.
      if (textOf(preview).includes("Other files are being read")) return begin();
      const create = buttonsOf(preview).find(isCreate);
      if (create === undefined) return undefined;
      return discord.press(owner, preview, create.customId ?? "");
    }

    for (const { lifeMs, fault } of chances) {
      const heal = failNext(store, creation, fault);
      await begin();
      // The moment of the kill is random, so the test waits for no event.
      await wait(lifeMs);
      await bot.kill();
      heal();
      ahead += aLittleLaterMs;
      bot = await start();
    }

    for (let presses = 1; presses <= 5; presses += 1) {
      const pressed = await begin();
      if (pressed === undefined) break;
      // If a process was killed before it answered a press, the next process does its work, and other imports have to wait.
      const isOver = ({ body }: { readonly body?: unknown }) =>
        /import-result\.csv|already running in this server/.test(JSON.stringify(body ?? {}));
      await discord.waitFor(() => pressed.requests.find(isOver), "the result of an import", 60_000);
      await bot.kill();
      ahead += aLittleLaterMs;
      bot = await start();
    }
    expect(await begin(), `seed ${seed}`).toBeUndefined();

    const made = store.products.map(({ info }) => info.title);
    const times = titles.map((title) => made.filter((other) => other === title).length);
    console.info(
      `${kills} kills, ${titles.length} products, seed ${seed}: lost ${times.filter((n) => n === 0).length}, doubled ${times.filter((n) => n > 1).length}`,
    );
    expect(times, `seed ${seed}`).toEqual(titles.map(() => 1));
  },
  120_000 + kills * 10_000,
);

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
