import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { type GuildModel, textOf } from "../sandbox/discord/discord.ts";
import {
  type Bot,
  connectStore,
  createWorld,
  disconnectStore,
  run,
  setAlerts,
  type World,
} from "../support/process/world.ts";

const customer = { name: "Wilhelmina Quetzalcoatl", email: "wilhelmina.quetzalcoatl@customers.example" };
const messages = /\/channels\/\d+\/messages$/;
/** SQLite's log is emptied 10 s after a write. */
const emptied = { timeout: 60_000, interval: 100 };

/** Leaves out files that were removed before they were read. They held nothing that lasts. */
async function filesBelow(directory: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    if (bytes !== undefined) found.set(path, bytes);
  }
  return found;
}

/** Names each file of the bot's data that has one of the texts. */
async function hitsOf({ directory }: World, texts: readonly string[]): Promise<string[]> {
  const files = [...(await filesBelow(join(directory, "data")))];
  return texts.flatMap((text) =>
    files.filter(([, bytes]) => bytes.includes(text)).map(([path]) => `${text} in ${path}`),
  );
}

/** Shows customers in full, with alerts and a list that can be paged. */
async function settle(there: World) {
  await connectStore(there);
  await run(there, "orders").settled();
  await run(there, "store settings", { privacy: "none" }).settled();
  await setAlerts(there);
  await run(there, "store settings", { privacy: "full" }).settled();
}

/** Discord does not take the order's alert for now. */
async function oweOrder({ discord, store }: World) {
  const before = discord.requests.length;
  const mend = discord.fail({ method: "POST", path: messages, status: 500 });
  const order = store.placeOrder({ customer });
  const refused = () =>
    discord.requests.slice(before).find(({ path, status }) => messages.test(path) && status === 500);
  await discord.waitFor(refused, "a message that Discord refused");
  return { order, mend };
}

const posted = ({ discord, guild }: World) =>
  discord.waitFor(
    () => discord.messages(guild.channel("new-orders")).find((message) => textOf(message).includes(customer.name)),
    "the alert with its customer",
  );

/** A command afterwards stores nothing, either. */
async function disconnect(there: World) {
  expect(await disconnectStore(there)).toContain("Deleted: the API token and everything stored");
  expect(textOf(await run(there, "alerts off").settled())).toContain("No store is connected to this server yet");
}

async function leave({ discord, guild }: World, bot: Bot) {
  discord.removeGuild(guild.id);
  await bot.printed(`"guild":"${guild.id}","msg":"removed from a server; its data is deleted"`);
}

/** Ciphertexts in the rows of the bot's SQLite file. */
function sealedIn(world: World): string[] {
  const database = new DatabaseSync(world.database, { readOnly: true });
  const rows = database.prepare("SELECT value FROM shopbell").all();
  database.close();
  const sealed = rows.flatMap(({ value }) => [...String(value).matchAll(/"sealed\w*":"([^"]+)"/g)]);
  return sealed.map(([, text = ""]) => text);
}

// Encryption is above the storage, so other kinds of storage hold the same. `sqlite-traces.test.ts` has the log.
test("no byte of a customer or a token stands in the storage, owed or posted, disconnected or left, and after the end no sealed one and no id either (0.1.0: all stood in the log until a clean stop)", async () => {
  await using world = await createWorld();
  const bot = await world.start();
  const nothing = async (when: string, texts = [customer.name, customer.email, world.store.token]) =>
    expect(await hitsOf(world, texts), when).toEqual([]);
  const ends: [string, (there: World) => Promise<void>, GuildModel][] = [
    ["/store disconnect", disconnect, world.guild],
    ["leaving the server", (there) => leave(there, bot), world.discord.addGuild()],
  ];
  const deleted: string[] = [];
  for (const [name, end, guild] of ends) {
    const there = { ...world, guild };
    await settle(there);
    const { order, mend } = await oweOrder(there);
    expect(await hitsOf(world, [order.id]), "what is looked for can be found").not.toEqual([]);
    await nothing(`while the alert is owed, before ${name}`);
    const sealed = sealedIn(world);
    expect(sealed.length, "a sealed token and a sealed customer").toBeGreaterThan(1);
    deleted.push(...sealed, order.id, guild.id, guild.channel("new-orders"));
    mend();
    await posted(there);
    await nothing(`after it was posted, before ${name}`);
    await end(there);
    await nothing(`after ${name}`);
  }
  await vi.waitFor(() => nothing("after both", deleted), emptied);
  expect((await bot.stop()).code).toBe(0);
  await nothing("after the end");
});
