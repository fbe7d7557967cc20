import { beforeEach, describe, expect, it, vi } from "vitest";
import { type DeleteRemovedServersDeps, deleteRemovedServers } from "../../../src/guilds/delete-removed-servers.ts";
import { createGuilds, type Guilds } from "../../../src/guilds/guilds.ts";
import { createVault } from "../../../src/guilds/vault.ts";
import { recordedLog } from "../../support/recorded-log.ts";
import { keysIn } from "../../support/stored.ts";
import { useFakeTimers } from "../../support/use-fake-timers.ts";
import { useStorage } from "../../support/use-storage.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const key = Buffer.alloc(32, 1);

describe("the data of servers without the bot", () => {
  const storage = useStorage();
  let guilds: Guilds;
  let time: number;
  let logged: ReturnType<typeof recordedLog>;
  let asked: number;
  let present: () => Promise<ReadonlySet<string>>;
  let over: AbortController;

  const newGuilds = () => createGuilds({ storage, vault: createVault([key]), now: () => time });
  const forgetServer = async (guildId: string) => {
    await guilds.disconnect(guildId);
    await guilds.remove(guildId);
  };

  function start(others: Partial<DeleteRemovedServersDeps> = {}) {
    deleteRemovedServers({
      guilds,
      present: () => {
        asked++;
        return present();
      },
      forget: forgetServer,
      log: logged.log,
      random: () => 0.5,
      signal: over.signal,
      ...others,
    });
  }

  /** Lets time pass on every clock. */
  async function pass(ms: number, stepMs = 5 * minuteMs) {
    for (let passed = 0; passed < ms; passed += stepMs) {
      time += stepMs;
      await vi.advanceTimersByTimeAsync(stepMs);
    }
  }

  useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  beforeEach(async () => {
    [time, logged, asked] = [1_000, recordedLog(), 0];
    guilds = newGuilds();
    over = new AbortController();
    present = async () => new Set(["1"]);
    await guilds.connect("1", "token-1");
    await guilds.connect("2", "token-2");
  });

  it("delete a server left while the bot was away after 7 days", async () => {
    start();
    await pass(7 * dayMs + 15 * minuteMs);
    expect(await keysIn(storage, "guilds")).toEqual(["1", "2"]);

    await pass(dayMs);
    expect(await keysIn(storage, "guilds")).toEqual(["1"]);
    expect(logged.at("info")).toEqual([expect.objectContaining({ fields: { guild: "2" } })]);
    expect(asked).toBe(9);
  });

  it("change nothing while Discord does not say which servers there are, and ask again in an hour", async () => {
    present = () => Promise.reject(new Error("no answer"));
    start();
    await pass(9 * dayMs, 10 * minuteMs);
    expect(asked).toBeGreaterThan(9 * 20);
    expect((await guilds.get("2")).missingSince).toBeUndefined();
    expect(await keysIn(storage, "guilds")).toEqual(["1", "2"]);

    present = async () => new Set(["1", "2"]);
    await pass(2 * 60 * minuteMs);
    expect(await keysIn(storage, "guilds")).toEqual(["1", "2"]);
  });

  it("keep a server that was connected again while others were deleted (before: deleted all the same)", async () => {
    await guilds.reconcile(new Set(), 7 * dayMs);
    time += 7 * dayMs + 1;
    present = async () => new Set();
    const forgotten: string[] = [];
    const forget = async (guildId: string) => {
      forgotten.push(guildId);
      if (forgotten.length === 1) await guilds.connect(guildId === "1" ? "2" : "1", "token-again");
      await forgetServer(guildId);
    };
    start({ forget });
    await pass(15 * minuteMs);
    expect(forgotten).toHaveLength(1);

    const [left, ...others] = await keysIn(storage, "guilds");
    expect(others).toEqual([]);
    expect(left).not.toBe(forgotten[0]);
    expect(guilds.tokenOf(await guilds.get(left ?? ""))).toBe("token-again");
  });

  it("end with the process: none begins, and what is under way says nothing", async () => {
    start();
    present = async () => {
      over.abort();
      throw new Error("aborted");
    };
    await pass(2 * dayMs, 10 * minuteMs);

    expect(asked).toBe(1);
    expect(logged.at()).toEqual([]);
  });
});
