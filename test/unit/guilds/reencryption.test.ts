import { beforeEach, expect, it, vi } from "vitest";
import { createGuilds } from "../../../src/guilds/guilds.ts";
import { createReencryption } from "../../../src/guilds/reencryption.ts";
import { createVault } from "../../../src/guilds/vault.ts";
import { recordedLog } from "../../support/recorded-log.ts";
import { useFakeTimers } from "../../support/use-fake-timers.ts";
import { useStorage } from "../../support/use-storage.ts";

const hourMs = 60 * 60_000;
const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const { signal } = new AbortController();
const storage = useStorage();
const guildsWith = (...keys: Buffer[]) => createGuilds({ storage, vault: createVault(keys) });
let logged: ReturnType<typeof recordedLog>;

useFakeTimers({ toFake: ["setInterval"] });
beforeEach(() => {
  logged = recordedLog();
});

it("tells once what remains, and of a lost key with the ids of the keys", async () => {
  const vault = createVault([newer, older]);
  const guilds = { reencrypt: async () => ({ renewed: 0, lost: new Map([["1", "0a1b2c3d"]]), unread: 0 }) };
  const reencrypt = createReencryption({ guilds, vault, log: logged.log, signal, isPolling: () => true });
  for (let times = 0; times < 2; times++) await reencrypt();

  expect(logged.at("info").map(({ fields }) => fields)).toEqual([{ renewed: 0, remaining: 1 }]);
  expect(logged.at("warn").map(({ fields }) => fields)).toEqual([
    { guild: "1", needs: "0a1b2c3d", keyIds: vault.keyIds },
  ]);
});

it("comes again each hour in a process that polls: after a failure, and for what another process encrypted with an older key", async () => {
  await guildsWith(older).connect("1", "token-1");
  const vault = createVault([newer, older]);
  const rotated = createGuilds({ storage, vault });
  let isFailing = true;
  let isPolling = true;
  let runs = 0;
  const reencrypt = async () => {
    runs++;
    if (isFailing) throw new Error("disk");
    return rotated.reencrypt();
  };
  const renewals = () => logged.at("info").map(({ fields }) => fields);
  const deps = { guilds: { reencrypt }, vault, log: logged.log, signal, isPolling: () => isPolling };
  await createReencryption(deps)();
  expect(logged.at("error")).toHaveLength(1);

  isFailing = false;
  for (const times of [1, 2]) {
    await vi.advanceTimersByTimeAsync(hourMs);
    // The storage answers in real time.
    await expect.poll(renewals).toEqual(Array(times).fill({ renewed: 1, remaining: 0 }));
    await guildsWith(older, newer).connect("1", "token-1");
  }
  isPolling = false;
  await vi.advanceTimersByTimeAsync(hourMs);
  expect(runs).toBe(3);
});
