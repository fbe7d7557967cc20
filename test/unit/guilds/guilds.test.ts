import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createGuilds, GuildError } from "../../../src/guilds/guilds.ts";
import { createVault } from "../../../src/guilds/vault.ts";
import { partitionOf } from "../../../src/storage/polled-servers.ts";
import type { Storage } from "../../../src/storage/table.ts";
import { turnsDuring } from "../../support/event-loop-turns.ts";
import { keysIn, stored } from "../../support/stored.ts";
import { useStorage } from "../../support/use-storage.ts";
import { withTable } from "../../support/with-table.ts";

const TOKEN = "store-token-0123456789-abcdefghij-WXYZ";
const DAY_MS = 86_400_000;
const first = randomBytes(32);
const second = randomBytes(32);

describe("what is kept of each server", () => {
  const storage = useStorage();
  let time: number;

  const guildsWith = (...keys: Buffer[]) => createGuilds({ storage, vault: createVault(keys), now: () => time });
  /** No process can be told of a change. */
  const mute = (reason: string) => {
    const read = () => Promise.reject(new Error(reason));
    return withTable(storage, () => ({ read }), "polled-marks");
  };

  beforeEach(() => {
    time = 1_000;
  });

  it("changes nothing where the process that polls cannot be told, and tells it in the same commit", async () => {
    await guildsWith(first).connect("1", TOKEN);
    const guilds = createGuilds({ storage: mute("no answer"), vault: createVault([first]) });

    await expect(
      guilds.update("1", (guild) => ({ ...guild, settings: { ...guild.settings, currency: "EUR" } })),
    ).rejects.toThrow("no answer");
    await expect(guilds.disconnect("1")).rejects.toThrow("no answer");
    await guildsWith(first).update("2", (guild) => guild);
    await expect(guilds.remove("2")).rejects.toThrow("no answer");

    const { settings, token } = await guildsWith(first).get("1");
    expect(settings.currency).not.toBe("EUR");
    expect(token).toBeDefined();

    const commits: string[][] = [];
    const recorded: Storage = {
      ...storage,
      commit(steps) {
        commits.push(steps.map(({ table }) => table));
        return storage.commit(steps);
      },
    };
    const onAnnounced = vi.fn();
    await createGuilds({ storage: recorded, vault: createVault([first]), onAnnounced }).disconnect("1");
    expect(commits).toEqual([["guilds", `polled:${partitionOf("1")}`, "polled-marks"]]);
    expect(onAnnounced).toHaveBeenCalledOnce();
  });

  it("keeps changes, and every one of many at the same time", async () => {
    const guilds = guildsWith(first);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        guilds.update("1", (guild) => ({
          ...guild,
          alerts: { channelId: "2", since: 5, statuses: [...(guild.alerts?.statuses ?? []), String(index)] },
        })),
      ),
    );
    expect((await guilds.get("1")).alerts?.statuses).toHaveLength(50);
  });

  it("keeps nothing of a change that throws or is not a record, and goes on", async () => {
    const guilds = guildsWith(first);
    const failing = guilds.update("1", () => {
      throw new Error("no");
    });
    const moving = guilds.update("1", (guild) => ({ ...guild, id: "2" }));
    await expect(failing).rejects.toThrow("no");
    await expect(moving).rejects.toThrow(GuildError);

    await guilds.update("1", (guild) => guild);
    expect(await keysIn(storage, "guilds")).toEqual(["1"]);
  });

  it("counts a server as missing no longer once its store is connected", async () => {
    const guilds = guildsWith(first);
    await guilds.connect("1", TOKEN);
    await guilds.reconcile(new Set(), 7 * DAY_MS);
    time += 7 * DAY_MS + 1;

    expect((await guilds.connect("1", TOKEN)).missingSince).toBeUndefined();
    // The list of servers is older than the connection.
    expect(await guilds.reconcile(new Set(), 7 * DAY_MS)).toEqual([]);
  });

  it("seals anew at the start, record by record, while the event loop turns (0.1.0: only what was used, or at a READY)", async () => {
    const count = 60;
    const old = guildsWith(first);
    for (let id = 1; id <= count; id++) await old.connect(String(id), TOKEN);
    const lost = randomBytes(32);
    await guildsWith(lost).connect("9001", TOKEN);
    await storage.table(stored<unknown>("guilds")).set("9002", { id: "9002", broken: true });
    const told = mute("told to processes that seal with another key");
    const rotated = createGuilds({ storage: told, vault: createVault([second, first]) });
    const { turns, result } = await turnsDuring(() => rotated.reencrypt());
    expect(result).toEqual({ renewed: count, lost: new Map([["9001", createVault([lost]).keyIds[0]]]), unread: 1 });
    expect(turns).toBeGreaterThan(count);
    expect(await rotated.reencrypt()).toEqual({
      renewed: 0,
      lost: new Map([["9001", createVault([lost]).keyIds[0]]]),
      unread: 1,
    });
    const commit = () => Promise.reject(new Error("disk full"));
    const failing = createGuilds({ storage: { ...storage, commit }, vault: createVault([first, second]) });
    await expect(failing.reencrypt(), "no token counts as lost if the storage fails").rejects.toThrow("disk full");

    const later = guildsWith(second);
    for (let id = 1; id <= count; id++) expect(later.tokenOf(await later.get(String(id)))).toBe(TOKEN);
  });

  it("forgets token, alerts and digests on disconnect, and is not removed while there is a token", async () => {
    const guilds = guildsWith(first);
    const plan = { channelId: "2", every: "day" as const, hour: 9, since: 1 };
    const alerts = { channelId: "2", statuses: [], since: 1 };
    await guilds.connect("1", TOKEN, (guild) => ({ ...guild, alerts, digest: { plan } }));
    await guilds.remove("1");
    expect((await guilds.find("1"))?.token).toBeDefined();

    expect(await guilds.disconnect("1")).toEqual({ id: "1", settings: { language: "en", privacy: "none" } });
    await guilds.remove("1");
    expect(await guilds.find("1")).toBeUndefined();
  });

  it("does not bring a server back that is removed while it is compared with the servers of the bot", async () => {
    const guilds = guildsWith(first);
    await guilds.update("1", (guild) => guild);
    await Promise.all([guilds.remove("1"), guilds.reconcile(new Set(), 7 * DAY_MS)]);

    expect(await keysIn(storage, "guilds")).toEqual([]);
  });

  it("throws for a broken record instead of giving defaults", async () => {
    const guilds = guildsWith(first);
    const settings = { language: "en", privacy: "none" };
    // Ids become parts of Discord's addresses.
    const alerts = { channelId: "2/../../users/@me?x=", statuses: [], since: 1 };
    const unknown = { id: "1", settings: { ...settings, language: "xx" } };
    for (const broken of [{}, null, "text", unknown, { id: "1", settings, alerts }]) {
      await storage.table(stored<unknown>("guilds")).set("1", broken);
      await expect(guilds.get("1")).rejects.toThrow(GuildError);
      await expect(guilds.update("1", (guild) => guild)).rejects.toThrow(GuildError);
      expect(await guilds.reconcile(new Set(), 7 * DAY_MS)).toEqual([]);
    }
  });

  it("does not keep a missing server for longer because the clock was ahead (0.1.0: until that day and 7 more)", async () => {
    const guilds = guildsWith(first);
    await guilds.connect("1", TOKEN);
    time += 365 * DAY_MS;
    await guilds.reconcile(new Set(), 7 * DAY_MS);
    time = 2_000;
    await guilds.reconcile(new Set(), 7 * DAY_MS);
    expect((await guilds.get("1")).missingSince).toBe(2_000);

    time += 7 * DAY_MS + 1;
    expect(await guilds.reconcile(new Set(), 7 * DAY_MS)).toEqual(["1"]);
  });
});
