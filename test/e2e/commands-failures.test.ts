import { PermissionFlagsBits } from "discord.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PretendStore, startStore } from "../sandbox/store/start-store.ts";
import { expectNothingLeaked, sentenceOf, told } from "../support/checks.ts";
import { inTurns } from "../support/in-turns.ts";
import { type Bot, connectStore, createWorld, run, setAlerts, type World, withManagers } from "../support/world.ts";

const unknownId = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
const unauthorized =
  "The store refused the API token. Nothing was changed. Connect a new one with `/store connect`: you get it in the store's administration panel, under Settings, then Open API.";
const malformed =
  "The store's answer could not be understood, so it is not shown. If this keeps happening, tell the person who runs this bot.";

let world: World;
let trap: PretendStore;
let token: string;
const bots: Bot[] = [];
/** Every sentence by what went wrong. */
const sentences = new Map<string, string>();

const bot = () => bots.at(-1) as Bot;

beforeAll(async () => {
  [world, trap] = await Promise.all([createWorld().then((plain) => withManagers(plain, 40)), startStore()]);
  world.store.placeOrders(3);
  world.store.seedProducts(2);
  token = world.store.token;
  bots.push(await world.start());
  await connectStore(world);
});

afterAll(() => Promise.all([world[Symbol.asyncDispose](), trap.close()]));

const { act } = inTurns(() => world);

/** Lets something go wrong, runs a command, and says what the person was told. */
async function during(what: string, begin: () => unknown, command = "orders", options: Record<string, string> = {}) {
  const undo = await begin();
  const sentence = await sentenceOf(act(command, options), bot());
  sentences.set(what, sentence);
  if (typeof undo === "function") undo();
  return sentence;
}

describe("a command says what happened and what to do when the store", () => {
  test("refuses the token", async () => {
    expect(await during("wrong token", () => world.store.rotateToken("another-token"))).toBe(unauthorized);
    for (const [name, options] of [
      ["order", { id: unknownId }],
      ["products", {}],
    ] as const) {
      expect(await sentenceOf(act(name, options), bot())).toBe(unauthorized);
    }
    world.store.rotateToken(token);
  });

  test.each([
    ["a wrong token", "not-the-right-one", unauthorized],
    [
      "what can be no token",
      "to ken",
      "That cannot be an API token: it is empty or contains invalid characters. Nothing was saved. Copy the whole token and run `/store connect` again.",
    ],
  ])("is to be connected with %s: the token of before stays", async (what, typed, sentence) => {
    const opener = run(world, "store connect");
    await opener.answer();
    const answer = world.discord.submit(world.guild.person("owner"), opener, { token: typed });
    expect(await sentenceOf(answer, bot())).toBe(sentence);

    if (what === "what can be no token") sentences.set(what, sentence);
    expect((await act("orders").settled()).flags).toBeDefined();
  });

  test("knows no such order", async () => {
    const options = { id: unknownId };
    expect(await during("unknown order", () => undefined, "order", options)).toBe(
      "The store has nothing with that ID. Check the ID, or look for it in the list.",
    );
  });

  test("need not be asked, as what was typed is no id", async () => {
    const before = world.store.requests.length;
    expect(await during("bad uuid", () => undefined, "order", { id: "3f2a91bc-5d0e" })).toBe(
      "That is not an order ID. One looks like `3f2a91bc-5d0e-4c1a-9b7e-0123456789ab`: copy it from an alert or from `/orders`.",
    );
    expect(world.store.requests).toHaveLength(before);
  });

  test("is down", async () => {
    const sentence = "The store cannot be reached right now. Nothing was changed. Try again in a few minutes.";
    expect(await during("down", () => world.store.down())).toBe(sentence);

    await world.store.up();
    expect(
      await during("500", () => world.store.fail({ status: 500, body: "SECRET-NOISE at /srv/store/db.js:1" })),
    ).toBe(sentence);

    sentences.delete("500");
  });

  test("asks to wait", async () => {
    const rule = { status: 429, headers: { "retry-after": "45" } };
    expect(await during("rate limit", () => world.store.fail(rule))).toBe(
      "The store is getting too many requests. Nothing was changed. Try again in 45 seconds.",
    );

    // Nothing is sent with that token for as long as that, whoever asks.
    const before = world.store.requests.length;
    expect(await sentenceOf(act("products"), bot())).toMatch(/Try again in 4\d seconds\.$/);
    expect(world.store.requests).toHaveLength(before);

    token = "a-fresh-token";
    world.store.rotateToken(token);
    expect(await connectStore(world)).toContain("Your store is connected");
  });

  test.each([
    ["no JSON", { garbage: "<html>SECRET-NOISE</html>" }],
    ["no envelope", { body: { orders: "SECRET-NOISE" } }],
    ["no list", { body: { success: true, data: { orders: "SECRET-NOISE" } } }],
  ])("answers what cannot be understood: %s", async (_, rule) => {
    expect(await during("malformed", () => world.store.fail(rule))).toBe(malformed);
  });

  test("answers success: false with 200", async () => {
    const body = { success: false, message: "The <b>panel</b> is @everyone closed\n    at x (/srv/y.js:1)" };
    const sentence = await during("refusal", () => world.store.fail({ body }));

    expect(sentence).toMatch(/^The store did not accept that\. Nothing was changed\. It says: “The panel is /);
    expect(sentence).toMatch(/”\. Correct it and try again\.$/);
    expect(sentence).not.toContain("<b>");
    expect(sentence).not.toContain("\n");
  });

  test("answers more than can be read", async () => {
    expect(await during("huge", () => world.store.fail({ hugeBytes: 9 * 1024 * 1024 }))).toBe(
      "The store's answer was too big to read. Narrow the search, for example with a status or a title.",
    );
  });

  test("sends the bot elsewhere: the token does not go there", async () => {
    expect(
      await during("redirect", () => world.store.fail({ redirectTo: `${trap.url}/open-api/checkout/order` })),
    ).toBe(malformed);
    expect(trap.requests).toHaveLength(0);
    sentences.delete("redirect");
  });

  test("breaks off in the middle of an answer, unless only once: nobody notices that", async () => {
    world.store.fail({ truncate: true, times: 1 });
    const { flags } = await act("orders").settled();
    expect(flags).toBeDefined();
  });

  test("failed in all these ways and works again: it can be connected", async () => {
    expect(await connectStore(world)).toContain("Your store is connected");
  });
});

describe("a command about alerts says what happened and what to do when the channel", () => {
  const lacking =
    "❌ The bot is missing permissions in that channel, so nothing was posted. Give it: **Send Messages**. Then try again.\nTry again";

  test("does not let the bot post", async () => {
    const channel = world.guild.channel("new-orders");
    await setAlerts(world);
    world.discord.setBotPermissions(channel, { deny: PermissionFlagsBits.SendMessages });
    expect(await told(act("alerts test"))).toBe(lacking);

    await act("alerts off").settled();
    expect(await told(act("alerts set", { channel }))).toBe(lacking);

    sentences.set("no permission", lacking);
    expect(await during("alerts off", () => undefined, "alerts status")).toContain("Alerts are off in this server");

    world.discord.setBotPermissions(channel, {});
  });

  test("refuses the bot for another reason", async () => {
    const channel = world.guild.channel("new-orders");
    const body = { message: "Missing Permissions", code: 50_013 };
    const refuse = () =>
      world.discord.fail({ method: "POST", path: new RegExp(`^/channels/${channel}/messages$`), status: 403, body });
    expect(await during("no permission", refuse, "alerts set", { channel })).toBe(
      "The bot is missing permissions in that channel, so nothing was posted. Let it view the channel and send messages there, then try again.",
    );
  });

  test("is deleted", async () => {
    await setAlerts(world);
    world.discord.deleteChannel(world.guild.channel("new-orders"));

    expect(await during("channel deleted", () => undefined, "alerts test")).toBe(
      "That channel is gone, or the bot cannot see it. Nothing was posted. Orders waiting for it are kept: choose another channel with `/alerts set`.",
    );

    world.discord.restoreChannel(world.guild.channel("new-orders"));
    await act("alerts off").settled();
  });
});

test("a currency that does not exist is refused with a sentence of its own", async () => {
  await during("bad currency", () => undefined, "store settings", { currency: "XYZ" });
});

test("where the key is another one than the token was encrypted with, a command says so and how to go on", async () => {
  await bot().stop();
  bots.push(await world.start({ SECRET_KEYS: Buffer.alloc(32, 7).toString("base64") }));

  expect(await during("other key", () => undefined)).toBe(
    "The saved API token can no longer be read, most likely because the bot's secret key was changed. Your other settings are kept. Connect the store again with `/store connect`.",
  );
  expect(await connectStore(world)).toContain("Your store is connected");

  await act("orders").settled();
});

test("where no store is connected any more, a command says so", async () => {
  const question = await run(world, "store disconnect").settled();
  await world.discord.press(world.guild.person("owner"), question, "Confirm").settled();
  await during("not connected", () => undefined);
});

test("each of these has a sentence of its own, without a trace of code, of the API's answer or of the token", async () => {
  expect(sentences.size).toBe(15);
  expect(new Set(sentences.values()).size).toBe(sentences.size);
  for (const sentence of sentences.values()) {
    expect(sentence).not.toMatch(/Error|undefined|\bnull\b|\[object|\n\s+at /);
  }
  await expectNothingLeaked(world);
});
