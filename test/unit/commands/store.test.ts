import { beforeEach, describe, expect, it } from "vitest";
import { store } from "../../../commands/store/store.ts";
import type { ConnectedStore } from "../../../src/baseline/connect-store.ts";
import { budgets } from "../../../src/basics/limits/budgets.ts";
import type { Caller } from "../../../src/discord/commands/caller.ts";
import { createTokenAttempts } from "../../../src/discord/commands/refused-attempts.ts";
import type { Guild } from "../../../src/guilds/guild.ts";
import { GuildError } from "../../../src/guilds/guilds.ts";
import type { Rule } from "../../../src/guilds/rule.ts";
import { StoreError } from "../../../src/store-api/store-api.ts";
import { customIds } from "../../../src/views/parts/custom-ids.ts";
import type { MessagePayload } from "../../../src/views/parts/payload.ts";
import { ProblemError, problemNotice } from "../../../src/views/parts/problem.ts";
import { codeOf } from "../../support/code-of.ts";
import { messageOf, pressJob, submitJob, windowOf } from "../../support/command-jobs.ts";
import { type AlertDesk, createAlertDesk, guildId, manager } from "../../support/engine/alert-desk.ts";
import { buttonOf, textOf } from "../../support/views-support.ts";

/** What a connection with a token returns. */
let connect: () => Promise<ConnectedStore>;
/** The server's record, or a failure to read it. */
let find: () => Promise<Guild | undefined>;
let connected: number;
let tokens: string[];
let forgotten: number;
/** Resolves when no poll runs. */
let polled: Promise<void>;
let desk: AlertDesk;

beforeEach(() => {
  connect = async () => ({ guild: desk.guild, isOther: false });
  find = async () => desk.guild;
  connected = 0;
  tokens = [];
  forgotten = 0;
  polled = Promise.resolve();
  desk = createAlertDesk({
    guilds: { get: async () => desk.guild, find: () => find() },
    alerts: {
      connect(_: string, __: unknown, token: string) {
        connected += 1;
        tokens.push(token);
        return connect();
      },
    },
    forToken: () => ({}),
    async forget(_: string, assertAsked: () => Promise<unknown>) {
      await polled;
      await assertAsked();
      forgotten += 1;
      desk.guild = { ...desk.guild, token: undefined };
    },
    tokenAttempts: createTokenAttempts(() => desk.clock),
  });
});

describe("Confirm of /store disconnect", () => {
  const ask = () => desk.run(store, "disconnect", manager);
  const answer = (question: MessagePayload) => desk.press(store, question, "Confirm", manager);
  const token = (since: number) => ({ sealed: "x", last4: "abcd", since });

  it("works once, and only for the store of the question (0.1.0: for a day, for any)", async () => {
    desk.guild = { ...desk.guild, token: token(1_700_000_000_000) };
    const [first, second] = [await ask(), await ask()];
    expect(textOf(await answer(first))).toContain("Deleted");

    for (const since of [undefined, 1_700_000_000_001]) {
      if (since !== undefined) desk.guild = { ...desk.guild, token: token(since) };
      for (const question of [first, second]) expect(await codeOf(answer(question))).toBe("expired");
    }
    expect(forgotten).toBe(1);
    expect(textOf(await answer(await ask()))).toContain("Deleted");
  });

  it("deletes no store that was connected while the press waited for a poll", async () => {
    desk.guild = { ...desk.guild, token: token(1_700_000_000_000) };
    const { promise, resolve } = Promise.withResolvers<void>();
    polled = promise;
    const answered = answer(await ask());
    desk.guild = { ...desk.guild, token: token(1_700_000_000_001) };
    resolve();
    expect(await codeOf(answered)).toBe("expired");
    expect(forgotten).toBe(0);
  });

  it("deletes nothing if nothing is kept, and says so", async () => {
    const question = await ask();
    find = async () => undefined;
    expect(await codeOf(answer(question))).toBe("not_connected");
    expect(await codeOf(ask())).toBe("not_connected");
    expect(forgotten).toBe(0);
  });

  it("deletes a record that cannot be read", async () => {
    find = async () => {
      throw new GuildError(guildId, new Error("broken"));
    };
    expect(textOf(await answer(await ask()))).toContain("Deleted");
  });
});

describe("API tokens", () => {
  const enter = (who: Caller, token = "made-up") =>
    messageOf(submitJob(store, customIds.store.windows.token.make({}), who, { token }), desk.services);
  const refused = () => Promise.reject(new StoreError("unauthorized", "orders"));
  const { ofPerson, ofProcess } = budgets.refusedTokens;

  it("that are invented reach the store only as often as a person may try (0.1.0: always)", async () => {
    connect = refused;
    const codes = await Promise.all(Array.from({ length: 50 }, () => codeOf(enter(manager))));
    expect(codes.filter((code) => code === "cooldown")).toHaveLength(50 - ofPerson.burst);
    expect(connected).toBe(ofPerson.burst);
    await expect(enter(manager)).rejects.toMatchObject({ problem: { code: "cooldown", seconds: 60 } });

    desk.clock += 60_000;
    expect(await codeOf(enter(manager))).toBe("unauthorized");
  });

  it.each(["made-up", "not a token"])("that do not work come with a button for the window: %s", async (typed) => {
    connect = refused;
    const error = await enter(manager, typed).catch((thrown: unknown) => thrown);
    const buttons = error instanceof ProblemError ? error.buttons : [];
    const again = buttonOf(problemNotice({ code: "bad_token" }, "en", undefined, buttons), "Try again");
    const window = await windowOf(pressJob(store, again?.custom_id ?? "", manager), desk.services);
    expect(window).toMatchObject({ custom_id: customIds.store.windows.token.make({}) });
  });

  it.each([
    ["one person with many servers", "guildId", ofPerson.burst, "unauthorized"],
    ["all people together", "userId", ofProcess.burst, "cooldown"],
  ])("of %s have a limit, which blocks other people only in the second case", async (_, differs, most, code) => {
    connect = refused;
    const enterAs = (id: number) => codeOf(enter({ ...manager, [differs]: `3000000000000${10_000 + id}` }));
    for (let index = 0; index < 3 * ofProcess.burst; index += 1) await enterAs(index);
    expect(connected).toBe(most);
    expect(await codeOf(enter({ ...manager, userId: "400000000000000001" }))).toBe(code);
  });

  it.each([
    [false, "Alerts continue"],
    [true, "belongs to another store than before"],
  ])("that are accepted while alerts are on: of another store (%s)", async (isOther, said) => {
    desk.turnOnAlerts();
    connect = async () => ({ guild: desk.guild, isOther });
    expect(textOf(await enter(manager))).toContain(said);
    expect(textOf(await enter(manager))).not.toContain("no longer match");
    const rule: Rule = { id: "1", name: "Keys", channelId: "1", style: "feed", category: { id: "1", name: "Keys" } };
    desk.guild = { ...desk.guild, routes: [rule] };
    expect(textOf(await enter(manager)).includes("no longer match")).toBe(isOther);
  });

  it.each(["Bearer tok_1", ' "tok_1"\n', "Authorization: Bearer `tok_1`", "\u200btok_1"])(
    "are found in what is pasted around them: %j",
    async (pasted) => {
      desk.turnOnAlerts();
      await enter(manager, pasted);
      expect(tokens).toEqual(["tok_1"]);
    },
  );

  it("that are accepted cost nothing", async () => {
    desk.turnOnAlerts();
    for (let count = 0; count < 3 * ofPerson.burst; count += 1) await enter(manager);
    expect(connected).toBe(3 * ofPerson.burst);
  });
});
