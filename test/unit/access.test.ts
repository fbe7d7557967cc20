import { DiscordAPIError } from "@discordjs/rest";
import {
  type APIApplicationCommandPermission,
  PermissionFlagsBits,
  ApplicationCommandPermissionType as Type,
} from "discord.js";
import { describe, expect, test, vi } from "vitest";
import type { Caller } from "../../src/discord/commands/caller.ts";
import { createAccess, merged, overrideFor } from "../../src/discord/interactions/access.ts";

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

test("a thread has the settings of its channel", () => {
  const inThread = { ...caller, channelId: "77", parentId: "20" };
  const allChannels = channel(String(BigInt(guildId) - 1n), false);
  const here = channel("20", true);
  const ofUser = user("30", true);

  expect(overrideFor(inThread, [allChannels, here, ofUser])).toBe(true);
  expect(overrideFor(inThread, [channel("20", false), ofUser])).toBe(false);
  expect(overrideFor({ ...inThread, parentId: "21" }, [allChannels, here, ofUser])).toBe(false);
});

describe("what a server's integration settings say", () => {
  test.each<[string, Entry[], boolean | undefined]>([
    ["nothing", [], undefined],
    ["nothing about this member", [user("31", true), role("43", true)], undefined],
    ["the person is allowed", [user("30", true)], true],
    ["the person comes before the roles", [user("30", false), role("41", true)], false],
    ["one allowed role is enough", [role("41", false), role("42", true)], true],
    ["a role comes before everyone", [role("41", false), role(guildId, true)], false],
    ["everyone is allowed", [role(guildId, true)], true],
    ["the channel is closed", [channel("20", false), user("30", true)], false],
    ["all channels are closed", [channel(everyChannel, false), user("30", true)], false],
    [
      "all channels are closed but this one",
      [channel(everyChannel, false), channel("20", true), user("30", true)],
      true,
    ],
    ["an open channel alone allows nobody", [channel("20", true)], undefined],
  ])("%s", (_, permissions, expected) => {
    expect(overrideFor(caller, permissions)).toBe(expected);
  });
});

const applicationId = "1";
const commandId = "7";

/** The settings of the application, and those of the command. */
const settings = (application: Entry[], command: Entry[]) => [
  { id: applicationId, application_id: applicationId, guild_id: guildId, permissions: application },
  { id: commandId, application_id: applicationId, guild_id: guildId, permissions: command },
];

describe("settings of the application and of the command", () => {
  test("are merged entry by entry: the command's own takes the place of the application's", () => {
    const both = settings(
      [user("30", false), role("41", true), role("30", true)],
      [user("30", true), channel("20", false)],
    );
    const expected = [user("30", true), role("41", true), role("30", true), channel("20", false)];

    expect(merged(both, commandId, applicationId)).toEqual(expected);
    expect(merged(both.toReversed(), commandId, applicationId), "in whatever order they come").toEqual(expected);
    expect(merged(both, undefined, applicationId), "of an unknown command, denials alone").toEqual([
      user("30", false),
      role("41", true),
      role("30", true),
      channel("20", false),
    ]);
    expect(merged([], commandId, applicationId)).toEqual([]);
  });

  test.each<[string, Entry[], Entry[], boolean | undefined]>([
    [
      "a person barred from the application stays so beside entries of the command (0.1.0: was let in)",
      [user("30", false)],
      [role("41", true)],
      false,
    ],
    [
      "a channel closed for the application stays closed (0.1.0: was open)",
      [channel(everyChannel, false)],
      [user("30", true)],
      false,
    ],
    [
      "a channel opened for the command is open",
      [channel(everyChannel, false)],
      [channel("20", true), user("30", true)],
      true,
    ],
    [
      "a role that the application allows is let in beside entries of the command (0.1.0: was not)",
      [role("41", true)],
      [user("31", true)],
      true,
    ],
    ["a role barred by the command is barred", [role("41", true)], [role("41", false)], false],
    [
      "everyone barred from the application, a role allowed for the command",
      [role(guildId, false)],
      [role("42", true)],
      true,
    ],
  ])("%s", (_, application, command, expected) => {
    expect(overrideFor(caller, merged(settings(application, command), commandId, applicationId))).toBe(expected);
  });
});

/** Discord's refusal of a look-up. */
const refusal = (status: number) =>
  new DiscordAPIError({ message: "Missing Access", code: 50001 }, 50001, status, "GET", "", { body: {}, files: [] });

/** Access with settings that the test can change. */
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
  const isLetIn = (id = commandId, managersOnly = false) => access.allows(caller, { id, managersOnly });
  return { state, access, lookUps, isLetIn };
}

describe("access to a command", () => {
  test.each([PermissionFlagsBits.ManageGuild, PermissionFlagsBits.Administrator])(
    "with permission %s",
    async (permissions) => {
      const { state, lookUps, access } = setUp();
      state.permissions = [user("30", false)];
      expect(await access.allows({ ...caller, permissions }, { id: commandId, managersOnly: false })).toBe(true);
      expect(lookUps).toHaveLength(0);
    },
  );

  test("is for the staff role, and for nobody without it", async () => {
    const { access } = setUp("42");
    expect(await access.allows(caller, { id: "8", managersOnly: false })).toBe(true);
    expect(await setUp("43").isLetIn("8")).toBe(false);
    expect(await setUp("42").isLetIn("8", true)).toBe(false);
  });

  test.each([
    ["the person", user("30", false)],
    ["a role", role("41", false)],
    ["everyone", role(guildId, false)],
    ["the channel", channel("20", false)],
  ])("not the staff role where the settings bar %s for the command or the application", async (_, bar) => {
    const { state, access, isLetIn } = setUp("42");
    state.permissions = [bar];
    expect(await isLetIn()).toBe(false);

    access.forget(guildId);
    state.permissions = [user("31", true)];
    state.application = [bar];
    expect(await isLetIn()).toBe(false);
  });

  test("is for the staff role alone if the settings cannot be read", async () => {
    const { state, isLetIn } = setUp("42");
    state.error = refusal(403);

    expect(await isLetIn()).toBe(true);
    expect(await isLetIn(commandId, true)).toBe(false);
    expect(await setUp(undefined, refusal(403)).isLetIn()).toBe(false);
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
      for (const error of [new Error("no connection"), refusal(403)]) {
        state.error = error;
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

  test("settings of one command do not apply to another", async () => {
    const { access, isLetIn } = setUp();
    expect(await isLetIn("7")).toBe(true);
    expect(await isLetIn("8")).toBe(false);
    expect(await access.allows(caller, { id: undefined, managersOnly: false })).toBe(false);
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
    expect(await isLetIn()).toBe(true);

    state.permissions = [];
    access.forget(guildId);
    expect(await isLetIn()).toBe(false);
  });

  test.each([403, 404])("that are refused (%i) are made again after 5 minutes", async (status) => {
    const { state, lookUps, isLetIn } = setUp(undefined, refusal(status));
    for (; state.now < 600_000; state.now += 600) expect(await isLetIn()).toBe(false);
    expect(lookUps).toHaveLength(2);

    state.error = undefined;
    expect(await isLetIn()).toBe(true);
  });

  test("that fail in another way are made again after 10 s", async () => {
    const { state, lookUps, isLetIn } = setUp(undefined, new Error("no connection"));
    expect(await isLetIn()).toBe(false);

    state.now = 9_999;
    state.error = undefined;
    expect(await isLetIn()).toBe(false);

    state.now = 10_000;
    expect(await isLetIn()).toBe(true);
    expect(lookUps).toHaveLength(2);
  });

  test("that are refused are made every 10 s, even if the settings change every second", async () => {
    const { state, lookUps, access, isLetIn } = setUp(undefined, refusal(403));
    for (; state.now < 600_000; state.now += 1_000) {
      access.forget(guildId);
      await isLetIn();
    }
    expect(lookUps.length).toBeLessThanOrEqual(61);

    state.error = undefined;
    state.now += 10_000;
    access.forget(guildId);
    expect(await isLetIn(), "and what the owner mended counts").toBe(true);
  });

  test("are kept for 5,000 servers", async () => {
    const { lookUps, access } = setUp();
    const ask = (server: number) =>
      access.allows({ ...caller, guildId: String(10_000 + server) }, { id: commandId, managersOnly: false });
    for (let server = 0; server <= 5_000; server++) await ask(server);
    await ask(5_000);
    expect(lookUps).toHaveLength(5_001);

    await ask(0);
    expect(lookUps).toHaveLength(5_002);
  });
});
