import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createGuilds } from "../../src/guilds/guilds.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { createActiveGuilds } from "../../src/polling/active-guilds.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { textOf } from "../sandbox/discord/discord.ts";
import { connectStore, createWorld, run, setAlerts } from "../support/world.ts";

const newKey = () => randomBytes(32).toString("base64");
/** The lease of a process that ended well is free, and is looked at every 5 s. */
const takeoverMs = 15_000;

test("a standby process with a new first key stops no alerts, and seals with it once it polls", async () => {
  await using world = await createWorld();
  const { discord, guild, store } = world;
  const said = () => discord.messages(guild.channel("new-orders")).map(textOf);
  const rings = (id: string) => discord.waitFor(() => said().find((text) => text.includes(id)), "the alert");
  const [older, newer] = [newKey(), newKey()];
  const polling = await world.start({ SECRET_KEYS: older });
  await connectStore(world);
  await setAlerts(world);
  const standby = await world.start({ SECRET_KEYS: `${newer},${older}` });
  // Whichever process answers, it reads the server's record.
  for (let times = 0; times < 2; times++) await run(world, "alerts status").settled();
  // The polling process reads its record again, as after any change.
  await run(world, "store settings", { privacy: "full" }).settled();
  await rings(store.placeOrder().id);
  expect(standby.output()).not.toContain("are sealed with the first key");

  expect((await polling.stop()).code).toBe(0);

  const line = JSON.parse(await standby.printed("are sealed with the first key", takeoverMs));
  expect(line).toMatchObject({ level: 30, renewed: 1, remaining: 0 });

  await rings(store.placeOrder().id);
  expect(said().filter((text) => text.includes("cannot be read"))).toEqual([]);
}, 60_000);

test("what another process seals with an older key is sealed anew by the one that polls, alerts or not", async () => {
  await using world = await createWorld();
  const [older, newer] = [newKey(), newKey()];
  const polling = await world.start({ SECRET_KEYS: `${newer},${older}` });
  await polling.printed('"renewed":0,"remaining":0');

  const storage = await openStorage(`sqlite://${join(world.directory, "data", "shopbell.sqlite")}`, { warn() {} });
  const vault = createVault([Buffer.from(older, "base64")]);
  const { announcementOf } = createActiveGuilds(storage);
  const other = createGuilds({ storage, vault, announcementOf });
  await other.connect(world.guild.id, world.store.token);
  await polling.printed('"renewed":1,"remaining":0', takeoverMs);

  const later = createGuilds({ storage, vault: createVault([Buffer.from(newer, "base64")]) });
  expect(later.tokenOf(await later.get(world.guild.id))).toBe(world.store.token);

  await storage.close();
}, 60_000);
