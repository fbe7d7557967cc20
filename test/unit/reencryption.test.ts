import { beforeEach, expect, it, vi } from "vitest";
import { createGuilds } from "../../src/guilds/guilds.ts";
import { createReencryption } from "../../src/guilds/reencryption.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { recordedLog } from "../support/recorded-log.ts";
import { useFakeTimers } from "../support/use-fake-timers.ts";
import { useStorage } from "../support/use-storage.ts";

const hourMs = 60 * 60_000;
const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const { signal } = new AbortController();
const storage = useStorage();
const guildsWith = (...keys: Buffer[]) => createGuilds({ storage, vault: createVault(keys) });
let logged: ReturnType<typeof recordedLog>;

useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
beforeEach(() => {
  logged = recordedLog();
});

it("is one look for all who ask meanwhile, and tells once what remains, and of a lost key with the ids of the keys", async () => {
  const ends: (() => void)[] = [];
  let looks = 0;
  const vault = createVault([newer, older]);
  const reencrypt = async () => {
    looks++;
    await new Promise<void>((resolve) => ends.push(resolve));
    return { renewed: 0, lost: new Map([["1", "0a1b2c3d"]]), unread: 0 };
  };
  const ask = createReencryption({ guilds: { reencrypt }, vault, log: logged.log, signal });

  const first = ask();
  for (let asked = 0; asked < 10; asked++) void ask();
  ends.shift()?.();
  await expect.poll(() => ends).toHaveLength(1);
  ends.shift()?.();
  await first;

  await new Promise(setImmediate);
  expect(looks).toBe(2);
  expect(logged.at("info").map(({ fields }) => fields)).toEqual([{ renewed: 0, remaining: 1 }]);
  expect(logged.at("warn").map(({ fields }) => fields)).toEqual([
    { guild: "1", needs: "0a1b2c3d", keyIds: vault.keyIds },
  ]);
});

it("comes an hour later if the storage failed", async () => {
  await guildsWith(older).connect("1", "token-1");
  const vault = createVault([newer, older]);
  const rotated = createGuilds({ storage, vault });
  let isFailing = true;
  const reencrypt = () => (isFailing ? Promise.reject(new Error("disk")) : rotated.reencrypt());
  await createReencryption({ guilds: { reencrypt }, vault, log: logged.log, signal })();
  expect(logged.at("error")).toHaveLength(1);

  isFailing = false;
  await vi.advanceTimersByTimeAsync(hourMs);

  // The storage answers in real time.
  const renewals = () => logged.at("info").map(({ fields }) => fields);
  await expect.poll(renewals).toContainEqual({ renewed: 1, remaining: 0 });
});
