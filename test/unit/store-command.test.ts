import { PermissionFlagsBits } from "@discordjs/core";
import { beforeEach, describe, expect, it } from "vitest";
import { store } from "../../commands/store/store.ts";
import { budgets } from "../../src/basics/limits/budgets.ts";
import { createTokenAttempts } from "../../src/discord/commands/attempts.ts";
import type { Caller } from "../../src/discord/commands/caller.ts";
import type { Guild } from "../../src/guilds/guild.ts";
import { GuildError } from "../../src/guilds/guilds.ts";
import type { Services } from "../../src/services.ts";
import { StoreError } from "../../src/store-api/store-api.ts";
import { customIds } from "../../src/views/parts/custom-ids.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";
import { ProblemError, problemNotice } from "../../src/views/parts/problem.ts";
import { codeOf } from "../support/code-of.ts";
import { messageOf, pressJob, submitJob, typedJob, windowOf } from "../support/command-jobs.ts";
import { buttonOf, textOf } from "../support/views-support.ts";

const guildId = "100000000000000001";
const manager: Caller = {
  guildId,
  channelId: "100000000000000002",
  userId: "100000000000000004",
  roleIds: [],
  permissions: PermissionFlagsBits.ManageGuild,
  locale: "en",
};
const untouched: Guild = { id: guildId, settings: { language: "en", privacy: "masked" } };

let guild: Guild;
/** The result of connecting with a token. */
let connect: () => Promise<Guild>;
let connected: number;
let forgotten: number;
let clock: number;
let services: Services;

beforeEach(() => {
  guild = untouched;
  connect = async () => guild;
  connected = 0;
  forgotten = 0;
  clock = 0;
  const fake = {
    guilds: { get: async () => guild, find: async () => guild },
    alerts: {
      connect() {
        connected += 1;
        return connect();
      },
    },
    forToken: () => ({}),
    forgetCache: () => undefined,
    auditLog: { note: async () => undefined },
    async forget() {
      forgotten += 1;
      guild = untouched;
    },
    tokenAttempts: createTokenAttempts(() => clock),
  };
  services = fake as unknown as Services;
});

describe("Confirm of /store disconnect", () => {
  const ask = () => messageOf(typedJob(store, "disconnect", manager), services);
  const answer = (question: MessagePayload) =>
    messageOf(pressJob(store, buttonOf(question, "Confirm")?.custom_id ?? "", manager), services);
  const token = (since: number) => ({ sealed: "x", last4: "abcd", since });

  it("works once, and only for the store of the question (0.1.0: for a day, for any)", async () => {
    guild = { ...guild, token: token(1_700_000_000_000) };
    const [first, second] = [await ask(), await ask()];
    expect(textOf(await answer(first))).toContain("Deleted");

    for (const since of [undefined, 1_700_000_000_001]) {
      guild = { ...guild, ...(since === undefined ? {} : { token: token(since) }) };
      for (const question of [first, second]) expect(await codeOf(answer(question))).toBe("expired");
    }
    expect(forgotten).toBe(1);
    expect(textOf(await answer(await ask()))).toContain("Deleted");
  });

  it("deletes nothing if nothing is kept, and says so", async () => {
    const question = await ask();
    Object.assign(services.guilds, { find: async () => undefined });
    expect(await codeOf(answer(question))).toBe("not_connected");
    expect(await codeOf(ask())).toBe("not_connected");
    expect(forgotten).toBe(0);
  });

  it("deletes a record that cannot be read", async () => {
    const broken = async () => {
      throw new GuildError(guildId, new Error("broken"));
    };
    Object.assign(services.guilds, { find: broken });
    expect(textOf(await answer(await ask()))).toContain("Deleted");
  });
});

describe("API tokens", () => {
  const enter = (who: Caller, token = "made-up") =>
    messageOf(submitJob(store, customIds.store.windows.token.make({}), who, { token }), services);
  const refused = () => Promise.reject(new StoreError("unauthorized", "orders"));
  const { ofPerson, ofProcess } = budgets.refusedTokens;

  it("that are invented reach the store only as often as a person may try (0.1.0: always)", async () => {
    connect = refused;
    const codes = await Promise.all(Array.from({ length: 50 }, () => codeOf(enter(manager))));
    expect(codes.filter((code) => code === "cooldown")).toHaveLength(50 - ofPerson.burst);
    expect(connected).toBe(ofPerson.burst);
    await expect(enter(manager)).rejects.toMatchObject({ problem: { code: "cooldown", seconds: 60 } });

    clock += 60_000;
    expect(await codeOf(enter(manager))).toBe("unauthorized");
  });

  it.each(["made-up", "not a token"])("that do not work come with a button for the window: %s", async (typed) => {
    connect = refused;
    const error = await enter(manager, typed).catch((thrown: unknown) => thrown);
    const rows = error instanceof ProblemError ? error.rows : [];
    const again = buttonOf(problemNotice({ code: "bad_token" }, "en", undefined, rows), "Try again");
    const window = await windowOf(pressJob(store, again?.custom_id ?? "", manager), services);
    expect(window).toMatchObject({ custom_id: customIds.store.windows.token.make({}) });
  });

  it("of one person with many servers do not block another person", async () => {
    connect = refused;
    for (let index = 0; index < 3 * ofProcess.burst; index += 1) {
      await codeOf(enter({ ...manager, guildId: `3000000000000${10_000 + index}` }));
    }
    expect(connected).toBe(ofPerson.burst);
    expect(await codeOf(enter({ ...manager, userId: "400000000000000001" }))).toBe("unauthorized");
  });

  it("of all people together have the limit of the process", async () => {
    connect = refused;
    for (let index = 0; index < 3 * ofProcess.burst; index += 1) {
      await codeOf(enter({ ...manager, userId: `4000000000000${10_000 + index}` }));
    }
    expect(connected).toBe(ofProcess.burst);
  });

  it("that are accepted cost nothing", async () => {
    guild = { ...guild, alerts: { channelId: "100000000000000002", statuses: ["PENDING"], since: 1 } };
    for (let count = 0; count < 3 * ofPerson.burst; count += 1) await enter(manager);
    expect(connected).toBe(3 * ofPerson.burst);
  });
});
