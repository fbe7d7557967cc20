import { describe, expect, test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import type { PretendStore } from "../sandbox/store/start-store.ts";
import { sentenceOf } from "../support/process/checks.ts";
import { useBot } from "../support/process/scene.ts";
import { connectStore, run } from "../support/process/world.ts";

const unknownId = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
const unauthorized =
  "The store refused the API token, or does not allow this with it. Nothing was changed. Connect a new one with `/store connect`: you get it in the store's administration panel, under Settings, then Open API.";
const unreachable =
  "The store cannot be reached or has a fault right now. Nothing was changed. Try again in a few minutes.";

const world = useBot({ managers: 40 }, ({ store }) => store.placeOrders(3));
const { act } = world;

/** What `/orders` said while requests to the store failed. */
async function during(rule: Parameters<PretendStore["fail"]>[0]) {
  const undo = world.store.fail(rule);
  const sentence = await sentenceOf(act("orders"), world);
  undo();
  return sentence;
}

// `unit/views/problem.test.ts` has a sentence for each code, and `unit/store-api/reads.test.ts` the code of each failure.
describe("a command says what happened and what to do when the store", () => {
  test.each<[string, Parameters<PretendStore["fail"]>[0], string]>([
    ["fails", { status: 500, body: "SECRET-NOISE at /srv/store/db.js:1" }, unreachable],
    [
      "answers success: false with 200",
      { body: { success: false, message: "The <b>panel</b> is @everyone closed\n    at x (/srv/y.js:1)" } },
      "The store refused this request. Nothing was changed. It says: “The panel is \\@everyone closed at x (/srv/y.js:1)”. If this is about something you entered, correct it and try again.",
    ],
  ])("%s", async (_, rule, sentence) => expect(await during(rule)).toBe(sentence));

  test.each([
    ["a wrong token", "not-the-right-one", unauthorized],
    [
      "what can be no token",
      "to ken",
      "That cannot be an API token: it is empty or contains invalid characters. Nothing was saved. Copy the whole token and run `/store connect` again.",
    ],
  ])("is to be connected with %s: the token of before stays", async (_, token, sentence) => {
    const opener = run(world, "store connect");
    await opener.answer();
    const answer = world.discord.submit(world.guild.person("owner"), opener, { token });
    expect(await sentenceOf(answer, world)).toBe(sentence);
    expect((await act("orders").settled()).flags).toBeDefined();
  });

  test("knows no such order, and need not be asked where what was typed is no id", async () => {
    expect(await sentenceOf(act("order", { id: unknownId }), world)).toBe(
      "The store has nothing with that ID. It may be mistyped, deleted, or of a store that was connected before.",
    );
    const before = world.store.requests.length;
    expect(await sentenceOf(act("order", { id: "3f2a91bc-5d0e" }), world)).toBe(
      "That is not an order ID, and no recent order begins with it. Choose one of the suggestions that come while you type, or paste a whole ID such as `3f2a91bc-5d0e-4c1a-9b7e-0123456789ab`.",
    );
    expect(world.store.requests).toHaveLength(before + 1);
  });

  test("asks to wait for some seconds: a person who turns alerts on waits for it, unlike a poll", async () => {
    world.store.fail({ status: 429, headers: { "retry-after": "3" }, times: 1 });
    const answer = await act("alerts set", { channel: world.guild.channel("new-orders") }).settled();
    expect(textOf(answer)).toContain("Order alerts come to");
    await act("alerts off").settled();
  });

  test("asks to wait: nothing is sent with that token for as long as that, whoever asks", async () => {
    expect(await during({ status: 429, headers: { "retry-after": "45" } })).toBe(
      "The store is getting too many requests. Nothing was changed. Try again in 45 seconds.",
    );
    const before = world.store.requests.length;
    expect(await sentenceOf(act("products"), world)).toMatch(/Try again in 4\d seconds\.$/);
    expect(world.store.requests).toHaveLength(before);

    world.store.rotateToken("a-fresh-token");
    expect(await connectStore(world)).toContain("Your store is connected");
  });
});

test("where the key is another one than the token was encrypted with, a command says so and how to go on", async () => {
  await world.bot.stop();
  await world.start({ SECRET_KEYS: Buffer.alloc(32, 7).toString("base64") });
  expect(await sentenceOf(act("orders"), world)).toBe(
    "The saved API token can no longer be read, most likely because the bot's secret key was changed. Your other settings are kept. Connect the store again with `/store connect`.",
  );
  expect(await connectStore(world)).toContain("Your store is connected");
  await act("orders").settled();
});
