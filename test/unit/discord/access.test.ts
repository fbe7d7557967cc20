import {
  type APIApplicationCommandPermission,
  PermissionFlagsBits,
  ApplicationCommandPermissionType as Type,
} from "@discordjs/core";
import { describe, expect, test, vi } from "vitest";
import type { Caller } from "../../../src/discord/commands/caller.ts";
import { createAccess } from "../../../src/discord/interactions/access.ts";
import { codeOf } from "../../support/code-of.ts";

const guildId = "1000";
const everyChannel = "999";
const caller: Caller = {
  guildId,
  channelId: "20",
  userId: "30",
  roleIds: ["41", "42"],
  permissions: 0n,
  locale: "en",
};

type Entry = APIApplicationCommandPermission;
const user = (id: string, permission: boolean): Entry => ({ type: Type.User, id, permission });
const role = (id: string, permission: boolean): Entry => ({ type: Type.Role, id, permission });
const channel = (id: string, permission: boolean): Entry => ({ type: Type.Channel, id, permission });

const applicationId = "1";
const commandId = "7";

const settings = (application: Entry[], command: Entry[]) => [
  { id: applicationId, application_id: applicationId, guild_id: guildId, permissions: application },
  { id: commandId, application_id: applicationId, guild_id: guildId, permissions: command },
];

const isAllowed = async (asked: Promise<void>) => {
  const code = await codeOf(asked);
  return code === "not_allowed" ? false : code === "it succeeded" || code;
};

function setUp(staffRole?: string, failure?: Error) {
  /** The look-ups so far. */
  const lookUps: PromiseWithResolvers<ReturnType<typeof settings>>[] = [];
  const state = {
    now: 0,
    /** The error of a look-up, if it fails. */
    error: failure,
    /** Look-ups wait for the test. */
    isHeld: false,
    permissions: [user("30", true)],
    application: [] as Entry[],
  };
  const access = createAccess({
    applicationId,
    staffRole: async () => staffRole,
    fetchOverrides() {
      const lookUp = Promise.withResolvers<ReturnType<typeof settings>>();
      lookUps.push(lookUp);
      if (!state.isHeld && state.error) lookUp.reject(state.error);
      else if (!state.isHeld) lookUp.resolve(settings(state.application, state.permissions));
      return lookUp.promise;
    },
    now: () => state.now,
  });
  const isLetIn = (id = commandId) => isAllowed(access.assertAllowed(caller, { id, managersOnly: false }));
  return { state, access, lookUps, isLetIn };
}

describe("what a server's integration settings say", () => {
  const closed = channel(everyChannel, false);
  const inThread = { channelId: "77", parentId: "20" };

  // In the case "neither", the staff role decides.
  test.each<[string, Entry[], Entry[], "allowed" | "denied" | "neither", Partial<Caller>?]>([
    ["nothing about this member", [], [user("31", true), role("43", true)], "neither"],
    ["the person is allowed", [], [user("30", true)], "allowed"],
    ["the person comes before the roles", [], [user("30", false), role("41", true)], "denied"],
    ["one allowed role is enough", [], [role("41", false), role("42", true)], "allowed"],
    ["a role comes before everyone", [], [role("41", false), role(guildId, true)], "denied"],
    ["everyone is allowed", [], [role(guildId, true)], "allowed"],
    ["everyone is barred", [role(guildId, false)], [], "denied"],
    ["the channel is closed", [], [channel("20", false), user("30", true)], "denied"],
    ["all channels are closed", [], [closed, user("30", true)], "denied"],
    ["all channels are closed but this one", [], [closed, channel("20", true), user("30", true)], "allowed"],
    ["an open channel alone allows nobody", [], [channel("20", true)], "neither"],
    ["a thread is closed with its channel", [], [channel("20", false), user("30", true)], "denied", inThread],
    ["a thread is open with its channel", [], [closed, channel("20", true), user("30", true)], "allowed", inThread],
    [
      "a bar of the application holds next to other entries of the command",
      [user("30", false)],
      [role("41", true)],
      "denied",
    ],
    ["a channel closed for the application stays closed", [closed], [user("30", true)], "denied"],
    ["a channel may be opened for the command", [closed], [channel("20", true), user("30", true)], "allowed"],
    ["a role that the application allows stays allowed", [role("41", true)], [user("31", true)], "allowed"],
    ["the command's entry replaces the application's", [role("41", true)], [role("41", false)], "denied"],
    ["an entry of a role replaces none of a person", [user("30", false)], [role("30", true)], "denied"],
  ])("%s", async (_, application, command, verdict, more = {}) => {
    for (const staffRole of [undefined, "42"]) {
      const { state, access } = setUp(staffRole);
      Object.assign(state, { application, permissions: command });
      const asked = access.assertAllowed({ ...caller, ...more }, { id: commandId, managersOnly: false });
      expect(await isAllowed(asked)).toBe(verdict === "neither" ? staffRole !== undefined : verdict === "allowed");
    }
  });

  test("of an unknown command, only the bars count", async () => {
    const { state, access } = setUp();
    const isLetIn = () => isAllowed(access.assertAllowed(caller, { id: undefined, managersOnly: false }));
    state.permissions = [user("30", true)];
    expect(await isLetIn()).toBe(false);

    access.forget(guildId);
    Object.assign(state, { application: [user("30", true)], permissions: [channel("20", false)] });
    expect(await isLetIn()).toBe(false);
  });
});

describe("access to a command", () => {
  test("is for Manage Server and for administrators, without a look-up", async () => {
    const { lookUps, access } = setUp();
    for (const permissions of [PermissionFlagsBits.ManageGuild, PermissionFlagsBits.Administrator]) {
      await access.assertAllowed({ ...caller, permissions }, { id: "8", managersOnly: true });
    }
    expect(lookUps).toHaveLength(0);
  });

  test("follows the settings of the last 10 minutes if they cannot be read now (0.1.0: the staff role alone)", async () => {
    const barred = setUp("42");
    barred.state.permissions = [user("30", false)];
    const allowed = setUp();
    for (const [{ state, isLetIn }, known, unknown] of [
      [barred, false, true],
      [allowed, true, false],
    ] as const) {
      expect(await isLetIn()).toBe(known);
      for (let minute = 1; minute <= 2; minute++) {
        state.error = new Error("no connection");
        state.now += 60_000;
        expect(await isLetIn(), "as it fails").toBe(known);
        expect(await isLetIn(), "while it is not tried again").toBe(known);
      }
      state.now = 599_999;
      expect(await isLetIn()).toBe(known);
      state.now = 600_000;
      expect(await isLetIn()).toBe(unknown);
    }
  });

  test("follows the settings of the last 10 minutes, or else the staff role alone, if they are late", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { state, lookUps, isLetIn } = setUp("42");
      state.isHeld = true;
      const never = isLetIn();
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await never).toBe(true);

      lookUps[0]?.resolve(settings([], [user("30", false)]));
      expect(await isLetIn()).toBe(false);
      state.now = 60_000;
      const late = isLetIn();
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await late).toBe(false);
      expect(lookUps).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  test("stays denied to a denied member until the new settings are read, however often they change", async () => {
    const { access, state, lookUps, isLetIn } = setUp("42");
    const bars = settings([], [user("30", false)]);
    state.isHeld = true;
    const first = isLetIn();
    lookUps[0]?.resolve(bars);
    expect(await first).toBe(false);

    state.now = 60_000;
    const second = isLetIn();
    access.forget(guildId);
    lookUps[1]?.resolve(bars);
    await second;
    const third = isLetIn();
    lookUps[2]?.reject(new Error("no connection"));
    expect(await third).toBe(false);
  });

  test("an entry that allowed a member does not count after a change until the new settings are read", async () => {
    const { access, state, isLetIn } = setUp();
    expect(await isLetIn()).toBe(true);

    state.error = new Error("no connection");
    access.forget(guildId);
    expect(await isLetIn()).toBe(false);
  });
});

describe("look-ups of the settings", () => {
  test("are made once a minute for each server, also for many callers at once", async () => {
    const { state, lookUps, isLetIn } = setUp();
    await Promise.all([isLetIn("7"), isLetIn("8")]);
    state.now = 59_999;
    await isLetIn();
    expect(lookUps).toHaveLength(1);

    state.now = 60_000;
    await isLetIn();
    expect(lookUps).toHaveLength(2);
  });

  test("are made again at once when the settings change", async () => {
    const { state, access, isLetIn } = setUp();
    state.permissions = [];
    expect(await isLetIn()).toBe(false);

    state.permissions = [user("30", true)];
    access.forget(guildId);
    expect(await isLetIn()).toBe(true);
  });

  test("are made again after 30 s if they fail", async () => {
    const { state, lookUps, isLetIn } = setUp(undefined, new Error("no connection"));
    expect(await isLetIn()).toBe(false);
    state.error = undefined;
    state.now = 29_999;
    expect(await isLetIn()).toBe(false);
    expect(lookUps).toHaveLength(1);

    state.now = 30_000;
    expect(await isLetIn()).toBe(true);
  });

  test("that fail are made every 30 s, even if the settings change every second", async () => {
    const { state, lookUps, access, isLetIn } = setUp(undefined, new Error("no connection"));
    for (; state.now < 600_000; state.now += 1_000) {
      access.forget(guildId);
      await isLetIn();
    }
    expect(lookUps.length).toBeLessThanOrEqual(21);

    state.error = undefined;
    state.now += 30_000;
    access.forget(guildId);
    expect(await isLetIn(), "and what the owner mended counts").toBe(true);
  });
});
