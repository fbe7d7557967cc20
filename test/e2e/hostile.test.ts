import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Component, flat, TYPE } from "../sandbox/discord/components.ts";
import { type ApiMessage, buttonsOf, type GuildModel, textOf } from "../sandbox/discord/discord.ts";
import { sized } from "../support/sized.ts";
import { anyNumber, anyOrder, anyProduct, anyText } from "../support/views-support.ts";
import { type Bot, connectStore, createWorld, run, setAlerts, type World } from "../support/world.ts";

/** Nearly all of it for a busy machine: a server is polled every second. */
const deadlineMs = 30_000;
/** No status of a fresh order, so that an edit is recognised by it. */
const afterwards = "ZQ9";
/** Every change of an order is an edit, and Discord takes few edits at once. */
const mostChanged = 3;
const peopleOfEach = 12;
const people = Array.from({ length: peopleOfEach }, (_, index) => `manager${index}`);

let world: World;
let bot: Bot;

beforeAll(async () => {
  world = await createWorld();
  bot = await world.start();
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

/** As JSON carries it, with every text cut to `most` units, and statuses to the longest that count as one. */
const sent = <T>(value: T, most: number): T =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      typeof inner === "string" ? inner.slice(0, key === "status" ? Math.min(most, 100) : most) : inner,
    ),
  );

/** As many of the rows as fit into an answer that is quick to read. */
function within<T>(rows: readonly T[], bytes: number): T[] {
  let left = bytes;
  return rows.filter((row) => {
    const size = Buffer.byteLength(JSON.stringify(row));
    if (size > left) return false;
    left -= size;
    return true;
  });
}

const ringing = fc.tuple(anyOrder, fc.boolean(), fc.uuid()).map(([order, rings, id]) => ({
  ...order,
  ...(rings ? { id, status: "PENDING" } : {}),
}));

/** What the store says during one run. `orders` has how many rows. */
const anyContent = (orders: { minLength: number; maxLength: number }) =>
  fc.record({
    first: fc.tuple(anyOrder, fc.uuid()).map(([order, id]) => sent({ ...order, id, status: "PENDING" }, 2_000)),
    others: fc.array(ringing, { ...orders, size: "max" }).map((rows) => within(sent(rows, 2_000), 500_000)),
    card: anyOrder.map((order) => sent(order, 2_500)),
    products: fc.array(anyProduct, { maxLength: 40, size: "max" }).map((rows) => within(sent(rows, 9_000), 500_000)),
    lastPage: fc.oneof(fc.constantFrom(1, 3, 1_000_000), anyNumber),
    settings: fc.record({
      currency: fc.constantFrom("none", "USD", "BRL", "JPY", "KWD"),
      privacy: fc.constantFrom("none", "masked", "full"),
    }),
    typed: anyText.map((text) => text.toWellFormed().slice(0, 100)).filter((text) => text !== ""),
  });
type Content = typeof anyContent extends (...of: never[]) => fc.Arbitrary<infer T> ? T : never;

const languages = [
  { language: "en", locale: "en-US" },
  { language: "pt-BR", locale: "pt-BR" },
  { language: "es", locale: "es-419" },
] as const;

/** A new server whose people and channels read this language, with alerts on and nothing waiting. */
async function settle({ language, locale }: (typeof languages)[number], settings: Content["settings"]) {
  const managers = people.map((name) => ({ name, roles: ["Staff"], locale }));
  const guild = world.discord.addGuild({ people: [{ name: "owner", locale }, ...managers] });
  const there: World = { ...world, guild };
  await connectStore(there);
  await setAlerts(there);
  await run(there, "store settings", { ...settings, language }).settled();
  return there;
}

const menuOf = (message: ApiMessage) =>
  flat(message.components as unknown as Component[]).find(({ type }) => type === TYPE.stringSelect);

/** Opens an entry of the message's menu: the wanted one, or the first. */
async function open(by: string, message: ApiMessage, wanted?: string) {
  const { custom_id = "", options = [] } = menuOf(message) ?? {};
  const value = options.find((option) => option.value === wanted)?.value ?? options[0]?.value;
  return value === undefined ? undefined : world.discord.press(by, message, custom_id, { values: [value] }).settled();
}

/** Presses the last button (Next of a list, Back of a card), if it can be pressed. */
async function pressLast(by: string, message: ApiMessage) {
  const { customId, disabled } = buttonsOf(message).at(-1) ?? {};
  return customId && !disabled ? world.discord.press(by, message, customId).settled() : undefined;
}

/** Presses the button whose custom id begins so, if there is one. */
async function pressStarting(by: string, message: ApiMessage, start: string) {
  const { customId } = buttonsOf(message).find((button) => button.customId?.startsWith(start)) ?? {};
  return customId ? world.discord.press(by, message, customId).settled() : undefined;
}

/** Looks at everything that the commands show, somebody else each time; returns what was shown. */
async function lookAround(there: World, { first, typed }: Content): Promise<ApiMessage[]> {
  const { discord, guild } = there;
  const shown: (ApiMessage | undefined)[] = [];
  for (const [index, name] of (["orders", "products"] as const).entries()) {
    const by = people[index] ?? "";
    const list = await run(there, name, {}, by).settled();
    const card = await open(guild.person(by), list, first.id);
    const theirs = card && (await pressStarting(guild.person(by), card, "customer:orders:"));
    const back = card && (await pressLast(guild.person(by), card));
    shown.push(list, card, theirs, back, await pressLast(guild.person(by), back ?? list));
    shown.push(await run(there, name, { page: 2 }, by).settled());
  }
  const asked: [string, Record<string, string>][] = [
    ["order", { id: first.id }],
    ["order", { id: typed }],
    ["orders", { status: typed }],
    ["orders", { email: typed }],
    ["customer", { email: typed }],
    ["store log", {}],
    ["products", { title: typed }],
    ["alerts status", {}],
    ["store status", {}],
    ["export products", {}],
  ];
  for (const [index, [name, options]] of asked.entries()) {
    shown.push(await run(there, name, options, people[2 + index]).settled());
  }
  const fields = { order: "id", orders: "status", products: "title" };
  for (const [command, focused] of [...Object.entries(fields), ["products", "category"] as const]) {
    for (const options of [{}, { [focused]: typed }]) {
      const where = { guildId: guild.id, channelId: guild.channel("staff") };
      await discord.autocomplete(guild.person("manager9"), { ...where, name: command, focused, options }).answer();
    }
  }
  return shown.filter((message) => message !== undefined);
}

const alertsIn = (guild: GuildModel) => world.discord.messages(guild.channel("new-orders"));
const alertOf = (guild: GuildModel, id: string) =>
  alertsIn(guild).find((message) => textOf(message).includes(id.slice(0, 8)));

const textOfAlert = (guild: GuildModel, id: string) => {
  const alert = alertOf(guild, id);
  return alert === undefined ? "" : textOf(alert);
};

/** Resolves when every order that rings has rung. */
function allRang({ guild }: World, orders: readonly { id: string; status: string }[]) {
  const ids = orders.filter(({ status, id }) => status === "PENDING" && /^[0-9a-f-]{36}$/.test(id));
  const missing = () => ids.find(({ id }) => textOfAlert(guild, id) === "");
  return world.discord.waitFor(() => (missing() ? undefined : true), "every alert", deadlineMs);
}

async function pressAlert({ guild }: World, id: string) {
  const alert = alertOf(guild, id);
  if (alert === undefined) throw new Error(`no alert of ${id}`);
  const by = guild.person("manager10");
  return (await open(by, alert, id)) ?? (await pressStarting(by, alert, "order:open:"));
}

function expectNobodyMentioned(messages: readonly ApiMessage[]) {
  for (const { mentions, mention_roles, mention_everyone } of messages) {
    expect({ mentions, mention_roles, mention_everyone }).toEqual({
      mentions: [],
      mention_roles: [],
      mention_everyone: false,
    });
  }
}

async function check(content: Content) {
  const { discord, store } = world;
  const { first, others, card, products, lastPage, settings, typed } = content;
  const servers = await Promise.all(languages.map((language) => settle(language, settings)));
  const serve = (path: RegExp, data: object) => store.fail({ method: "GET", path, body: { success: true, data } });
  const ordersNow = (orders: readonly object[]) => serve(/checkout\/order$/, { orders, lastPage });
  const rows = [first, ...others];
  const undoCard = serve(/checkout\/order\/./, { ...card, id: first.id });
  const undoProducts = serve(/catalog\/product$/, { products, lastPage });
  const undoOrders = ordersNow(rows);

  const looked = Promise.all(servers.map((there) => lookAround(there, content)));
  await Promise.all(servers.map((there) => allRang(there, rows)));
  for (const shown of await looked) expect(shown.length).toBeGreaterThan(10);
  for (const there of servers) expect(await pressAlert(there, first.id)).toBeDefined();

  undoOrders();
  const changed = others.map((row, index) => (index < mostChanged ? { ...row, status: typed } : row));
  const undoChanged = ordersNow([{ ...first, status: afterwards }, ...changed]);
  const isEdited = ({ guild }: World) => textOfAlert(guild, first.id).includes(afterwards);
  await discord.waitFor(() => (servers.every(isEdited) ? true : undefined), "every edit", deadlineMs);
  await Promise.all(servers.map((there) => run(there, "alerts off").settled()));
  for (const undo of [undoChanged, undoCard, undoProducts]) undo();

  for (const { guild } of servers) {
    expectNobodyMentioned(alertsIn(guild));
    for (const { user } of guild.members) expectNobodyMentioned(discord.messagesFor(user.id, guild.channel("staff")));
  }
  expect(bot.output(), "no fault of the bot's own").not.toContain('"level":50');
}

/** What failed and how to run it again; the content itself would fill screens. */
function report<T>({ failed, seed, counterexamplePath, errorInstance }: fc.RunDetails<T>) {
  if (failed) throw new Error(`with seed ${seed} and path "${counterexamplePath}"`, { cause: errorInstance });
}

const sizes: [string, { minLength: number; maxLength: number }][] = [
  ["many in a message", { minLength: 10, maxLength: 40 }],
  ["one message each", { minLength: 0, maxLength: 4 }],
];

test.each(sizes.slice(0, sized(1, 2)))(
  "whatever the store says, Discord takes every answer and alert and nobody is mentioned: %s",
  {
    timeout: 180_000,
  },
  async (_, orders) => {
    await fc.assert(fc.asyncProperty(anyContent(orders), check), {
      numRuns: sized(1, 5),
      endOnFailure: true,
      reporter: report,
    });
  },
);
