import { readFileSync } from "node:fs";
import { MessageFlags } from "@discordjs/core";
import { describe, expect, test } from "vitest";
import { type ApiMessage, buttonsOf, customIdsOf, textOf } from "../sandbox/discord/discord.ts";
import type { StoredProduct } from "../sandbox/store/shapes.ts";
import { createBotClock } from "../support/process/bot-clock.ts";
import { plant, plantedButton, sentenceOf, told } from "../support/process/checks.ts";
import { holdStore } from "../support/process/hold-store.ts";
import { importResult, recordsOf } from "../support/process/imports.ts";
import { useBot } from "../support/process/scene.ts";
import { alertOf } from "../support/process/shown-orders.ts";
import { connectStore, disconnectStore, run, setAlerts, type World } from "../support/process/world.ts";

const creation = { method: "POST", path: /catalog\/product$/ };
/** The limit in the container of `compose.yaml`. */
const memoryLimit = 256 * 1024 ** 2;
const commandsAtOnce = 40;
/** After half a minute an import counts as dead. After a minute the product that it sent last may be sent again. */
const aLittleLaterMs = 90_000;
const category = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
const other = "0e5b4c1a-5d0e-4c1a-9b7e-ba9876543210";
const world = useBot({ managers: 60 });
const { name } = world;

const upload = (text: string) => world.discord.upload("products.csv", Buffer.from(text), "text/csv");
const send = (text: string, by: string, there: World = world) =>
  run(there, "import-products", { file: upload(text) }, by);

const csv = (...lines: readonly string[]) => ["title,price,categoryId", ...lines].join("\r\n");
const rows = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name} ${index + 1},${index + 1}.5,${category}`);
const titled = (name: string) => world.store.products.filter(({ info }) => info.title.startsWith(name));
const creations = () => world.store.requests.filter(({ method }) => method === "POST").length;

const press = (message: ApiMessage, by: string, label: string, there: World = world) =>
  there.discord.press(there.guild.person(by), message, label);

const labelsOf = (message: ApiMessage) => buttonsOf(message).map(({ label }) => label);

/** Waits until the message has this text. */
const showing = (message: ApiMessage, by: string, text: string, there: World = world) =>
  there.discord.waitFor(() => {
    const { discord, guild } = there;
    const shown = discord.messagesFor(guild.person(by), guild.channel("staff")).find(({ id }) => id === message.id);
    return shown && textOf(shown).includes(text) ? shown : undefined;
  }, `a message with ${text}`);

/** Presses a button that creates. Resolves to the result. */
const created = (message: ApiMessage, by: string, label: string) => importResult(world, press(message, by, label));

test("creates the products of a file, and says what became of each", async () => {
  const who = name();
  const file = [
    "\ufefftitle,price,categoryId,description,images,comparation,id,type,slug,createdAt",
    `Moon Key,10.5,${category},"First line\r\nsecond, ""quoted""",https://cdn.example.com/a.png https://cdn.example.com/b.png,15,${other},DEFAULT,moon,2026-01-01T00:00:00Z`,
    `'=SUM(A1),0,${category},,,,,,,`,
    "",
  ].join("\r\n");
  const inStore = { title: "=sum(a1)", description: "", images: [], slug: "sum" };
  const sum = world.store.addProduct({ info: inStore });
  const preview = await send(file, who).settled();
  world.store.products.splice(world.store.products.indexOf(sum), 1);

  // The first row has an ID, the second one a title of the store.
  expect(textOf(preview)).toContain("⚠️ 2 rows seem to be in the store already");
  expect((preview.flags ?? 0) & MessageFlags.Ephemeral).not.toBe(0);
  expect(textOf(preview)).toContain("**Preview** · 2 products in the file, nothing has been created yet");
  expect(textOf(preview)).toContain("**Moon Key** · **10.50** ~~15~~");
  expect(labelsOf(preview)).toEqual(["Create", "Cancel"]);
  expect(creations()).toBe(0);

  const done = await created(preview, who, "Create");

  expect(textOf(done)).toBe("✅ Products created: **2**");
  expect(labelsOf(done)).toEqual([]);
  const [key, formula] = world.store.products.slice(-2);
  expect(key).toMatchObject({
    categoryId: category,
    info: { title: "Moon Key", description: 'First line\r\nsecond, "quoted"' },
    pricing: { price: 10.5, comparation: 15 },
  });
  expect(key?.info.images).toEqual(["https://cdn.example.com/a.png", "https://cdn.example.com/b.png"]);
  expect(formula?.info.title).toBe("=SUM(A1)");
  expect(await recordsOf(done)).toEqual([
    { row: "2", title: "Moon Key", result: "created", id: key?.id, problem: "" },
    { row: "3", title: "'=SUM(A1)", result: "created", id: formula?.id, problem: "" },
  ]);
});

describe("what is wrong with a file is said,", () => {
  test.each([
    [
      "a column that lacks",
      "title,price,category\r\nKey,1,Games",
      /^The file is missing columns: categoryId\..*of each product\./,
    ],
    ["too many bytes", csv(`Key,1,${category},${"x".repeat(1_048_576)}`), /^The file is too big: the limit is 1 MiB\./],
  ])("%s, and nothing is sent", async (_, file, sentence) => {
    const before = creations();
    expect(await sentenceOf(send(file, name()), world)).toMatch(sentence);
    expect(creations()).toBe(before);
  });

  test("every cell of it, with row and column, in the answer and in a file", async () => {
    const file = [
      "title;price;categoryId;images;comparation;type;description",
      `;1,50;${category};;;;`,
      `${"x".repeat(257)};abc;x;ftp://x;-1;OTHER;${"y".repeat(4_001)};more`,
      ...Array.from({ length: 8 }, () => "Key;1.2.3;none;;;;"),
    ].join("\n");
    const before = creations();
    const message = await send(file, name()).settled();

    const lines = textOf(message).split("\n");
    expect(lines).toHaveLength(13);
    expect(lines.slice(0, 3)).toEqual([
      "⚠️ There are 25 mistakes in the file, so **nothing was created**. Correct them and send the file again.",
      "- Row 2, `title`: the title is missing or cannot be read",
      "- Row 3: more cells than there are columns",
    ]);
    expect(lines.slice(-2)).toEqual(["… and 15 more", "The file below lists all of them."]);
    const records = await recordsOf(message);
    expect(records).toHaveLength(25);
    expect(records[0]).toEqual({ row: "2", column: "title", problem: "the title is missing or cannot be read" });
    const wrong = records.filter(({ row }) => row === "3").map(({ column }) => column);
    expect(wrong).toEqual(["", "type", "categoryId", "title", "description", "images", "price", "comparation"]);
    expect(labelsOf(message)).toEqual([]);
    expect(creations()).toBe(before);
  });
});

test("a price is read as whoever divides cells like that writes it, and what is doubtful or unknown is said", async () => {
  const who = name();
  const file = `title;price;categoryId;note\nComma;"1.234,56";${category};x\nThousand;1.234;${category};y\n`;
  const preview = await send(file, who).settled();

  expect(textOf(preview)).toContain("⚠️ Row 3: `1.234` was understood as **1,234.00**.");
  expect(textOf(preview)).toContain("⚠️ Unknown columns, left out: `note`");
  await created(preview, who, "Create");
  expect(world.store.products.slice(-2).map(({ pricing }) => pricing.price)).toEqual([1234.56, 1234]);
});

test("Cancel before anything was sent leaves nothing, and the old button has expired", async () => {
  const who = name();
  const preview = await send(csv(...rows("Never", 2)), who).settled();
  const cancelled = await press(preview, who, "Cancel").settled();

  expect(textOf(cancelled)).toBe("ℹ️ Cancelled. Nothing was created.");
  const forged = await plant(world, customIdsOf(preview).map(plantedButton));
  expect(await sentenceOf(press(forged, who, customIdsOf(preview)[0] ?? ""), world)).toBe(
    "This has expired. Run the command again to start over.",
  );
  expect(titled("Never")).toEqual([]);
});

test("a file that is sent again creates nothing twice, and what was added to it once", async () => {
  const who = name();
  const first = await send(csv(...rows("Again", 3)), who).settled();
  await created(first, who, "Create");

  const same = await send(csv(...rows("Again", 3)), who).settled();
  expect(textOf(same)).toContain("3 of them were created by an import in the last 30 days, and will be left out.");
  expect(textOf(same)).toContain("There is nothing left to create.");
  expect(labelsOf(same)).toEqual([]);

  // Two equal rows are two products. A third one is one more.
  const more = await send(csv(...rows("Again", 3), ...rows("Again", 1), ...rows("Again", 1)), who).settled();
  const done = await created(more, who, "Create");
  expect(textOf(done)).toBe("✅ Products created: **2**\nCreated by an earlier import, left out: 3");
  expect(titled("Again").map(({ info }) => info.title)).toEqual([
    "Again 1",
    "Again 2",
    "Again 3",
    "Again 1",
    "Again 1",
  ]);
  expect((await recordsOf(done)).map(({ result }) => result)).toEqual([
    "created before",
    "created before",
    "created before",
    "created",
    "created",
  ]);
});

test("a row that the store refuses and a row without a clear answer are in the result, and the others are created", async () => {
  const who = name();
  const preview = await send(csv(...rows("Odd", 4)), who).settled();
  const before = creations();
  world.store.fail({ ...creation, status: 422, body: { success: false, message: "=no **such** price" }, times: 1 });
  world.store.fail({ ...creation, drop: "before", times: 1, when: () => creations() - before === 2 });
  const done = await created(preview, who, "Create");

  expect(textOf(done)).toMatch(/^⚠️ Products created: \*\*2\*\*\nRefused by the store: \*\*1\*\*\n⚠️ 1 was sent, but/);
  expect(labelsOf(done)).toEqual(["Create the remaining"]);
  const records = await recordsOf(done);
  expect(records.map(({ result }) => result)).toEqual(["refused", "not confirmed", "created", "created"]);
  expect(records[0]).toMatchObject({
    row: "2",
    id: "",
    problem: expect.stringContaining("It says: “=no such price”."),
  });

  // A row without a clear answer is sent again after a minute at the earliest.
  const soon = await created(done, who, "Create the remaining");
  expect(textOf(soon)).toContain("⚠️ 1 was sent, but the store did not confirm");
  expect(creations() - before).toBe(5);
  const again = await send(csv(...rows("Odd", 4)), who).settled();
  expect(textOf(again)).toContain("⚠️ 1 of them was already sent to the store, which did not confirm it.");
});

test("an import shows how far it is, ends by Cancel, and goes on by a further press; another one has to wait", async () => {
  const [who, another] = [name(), "staff"];
  const preview = await send(csv(...rows("Slow", 6)), who).settled();
  const before = creations();
  const release = holdStore(world.store, { ...creation, when: () => creations() - before > 2 });
  press(preview, who, "Create");
  const shown = await showing(preview, who, "2 of 6 created");
  expect(textOf(shown)).toContain("### ℹ️ Creating products\n2 of 6 created\nLess than a minute left.");
  expect(labelsOf(shown)).toEqual(["Cancel"]);

  const second = await send(csv(...rows("Second", 1)), another).settled();
  expect(await sentenceOf(press(second, another, "Create"), world)).toMatch(
    /^An import is already running in this server\./,
  );
  const forged = await plant(world, customIdsOf(shown).map(plantedButton));
  expect(await sentenceOf(press(forged, another, customIdsOf(shown)[0] ?? ""), world)).toMatch(/^Only the person who/);

  const answer = await press(shown, who, "Cancel").settled();
  expect(textOf(answer)).toMatch(/^ℹ️ The import is stopping\./);
  release();
  const ended = await showing(preview, who, "The import was cancelled.");
  expect(textOf(ended)).toContain("Products created: **3**\nNot sent: **3**");

  const done = await created(ended, who, "Create the remaining");
  expect(textOf(done)).toContain("Products created: **3**\nCreated by an earlier import, left out: 3");
  expect(titled("Slow")).toHaveLength(6);
  await created(second, another, "Create");
  expect(titled("Second")).toHaveLength(1);
});

test("a server that is disconnected meanwhile, nothing more is created, and nothing is kept", async () => {
  const there: World = { ...world, guild: world.discord.addGuild() };
  await connectStore(there);
  const preview = await send(csv(...rows("Gone", 4)), "owner", there).settled();
  const before = creations();
  const release = holdStore(world.store, { ...creation, when: () => creations() - before > 1 });
  press(preview, "owner", "Create", there);
  await showing(preview, "owner", "1 of 4 created", there);

  await disconnectStore(there, "staff");
  release();

  await showing(preview, "owner", "The import was cancelled", there);
  expect(titled("Gone")).toHaveLength(2);
});

test("a file that is gone or another one by then creates nothing, and the one that was shown is created", async () => {
  const { discord } = world;
  const file = upload(csv(`Still There,1,${category}`));
  const preview = await world.act("import-products", { file }).settled();
  const create = () => world.press(preview, "Create");
  const before = creations();

  const path = new RegExp(`^${new URL(file.url).pathname}$`);
  const gone = discord.fail({ path, status: 404 });
  expect(await told(create())).toContain(
    "could not be downloaded from Discord. Nothing was sent to the store. Send the file again.",
  );

  gone();
  const changed = discord.fail({ path, status: 200, body: Buffer.from(csv(`Still There,2,${category}`)) });
  expect(await told(create())).toContain("The file is no longer the one that was shown");
  expect(creations()).toBe(before);

  changed();
  expect(textOf(await importResult(world, create()))).toBe("✅ Products created: **1**");
});

test("40 files at once of the costliest kind leave memory for everybody else's orders", async () => {
  const shop = world.store.addShop();
  const quiet: World = { ...world, guild: world.discord.addGuild() };
  await connectStore(quiet, shop.token);
  await setAlerts(quiet);
  const link = (at: number) => `https://x.co/${at}${"^".repeat(460)}`;
  const row = `T,1,${category},${link(1)} ${link(2)}`;
  const file = upload(["title,price,categoryId,images", ...Array.from({ length: 1_000 }, () => row)].join("\n"));

  const sent = Array.from({ length: commandsAtOnce }, () => run(world, "import-products", { file }));
  const { id } = shop.placeOrder();
  const answers = await Promise.all(sent.map(async (one) => textOf(await one.settled())));
  await alertOf(quiet, id);

  expect(answers.filter((text) => text.includes("**Preview**")).length).toBeGreaterThanOrEqual(1);
  expect(answers.filter((text) => text.includes("Other files are being read")).length).toBeGreaterThanOrEqual(20);
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${world.bot.pid}/status`, "utf8"))?.[1]) * 1024;
  expect(peak).toBeLessThan(memoryLimit);
});

// `unit/import-kill.test.ts` kills at every step.
test("Cancel reports that an import was killed, and a press continues the import", async () => {
  const who = name();
  const preview = await send(csv(...rows("Killed", 3)), who).settled();
  const before = creations();
  const hold = new Promise(() => undefined);
  const undo = world.store.fail({ ...creation, hold, when: () => creations() - before > 1 });
  press(preview, who, "Create");
  const progress = await showing(preview, who, "1 of 3 created");
  await world.bot.kill();
  undo();

  const clock = createBotClock(world.directory);
  const bot = await world.start(clock.environment);
  // The bot cannot know yet that the other process has ended.
  const soon = await press(progress, who, "Cancel").settled();
  expect(textOf(soon)).toContain(
    "If it does not change, the bot was restarted: press **Cancel** again in half a minute.",
  );
  await clock.set(bot, aLittleLaterMs);
  const answer = await press(progress, who, "Cancel").settled();
  expect(textOf(answer)).toMatch(/^⚠️ That import is no longer running: it has ended, or the bot was restarted\./);
  await created(answer, who, "Create the remaining");
  expect(titled("Killed").map(({ info }) => info.title)).toEqual(["Killed 1", "Killed 2", "Killed 3"]);
});

test("another store gets the rows of a file that the one before has; the same one with a new token does not", async () => {
  const { store } = world;
  // The owner of the other server ran so many commands that they would be slowed down.
  const there: World = { ...world, guild: world.discord.addGuild() };
  const titles = ["One", "Two", "Three"];
  const file = csv(...titles.map((title) => `${title},1,${category}`));
  const again = () => send(file, "owner", there).settled();
  const createdOf = async (message: ApiMessage) => {
    const create = buttonsOf(message).find(({ label = "" }) => label.startsWith("Create"));
    const press = world.discord.press(there.guild.person("owner"), message, create?.customId ?? "");
    return importResult(there, press);
  };
  (store.products as StoredProduct[]).splice(0);
  await connectStore(there);
  // The store fails in the middle, so the rows of the file belong to two tokens.
  const undo = store.fail({
    method: "POST",
    path: /catalog\/product$/,
    status: 401,
    when: () => store.products.length === 2,
  });
  const stopped = await createdOf(await again());
  undo();
  expect(textOf(stopped)).toContain("Products created: **2**");

  store.rotateToken("renewed-in-the-panel");
  await connectStore(there);
  expect(textOf(await createdOf(stopped))).toContain("Products created: **1**");
  store.rotateToken("renewed-once-more");
  await connectStore(there);
  // Somebody renamed the last product. The others show that it is the same store.
  const [last] = store.products.slice(-1);
  if (last) last.info.title = "Renamed";
  expect(textOf(await again())).toContain("There is nothing left to create.");

  const gone = (store.products as StoredProduct[]).splice(0);
  store.rotateToken("another-store");
  await connectStore(there);
  const preview = await again();
  expect(textOf(preview)).not.toContain("left out");
  expect(textOf(await createdOf(preview))).toBe("✅ Products created: **3**");
  expect(store.products.map(({ info }) => info.title)).toEqual(titles);
  expect(gone).toHaveLength(3);
  expect(textOf(await again())).toContain("There is nothing left to create.");
});
