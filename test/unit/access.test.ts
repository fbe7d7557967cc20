import { DiscordAPIError } from "@discordjs/rest";
import {
  type APIApplicationCommandPermission,
  PermissionFlagsBits,
  ApplicationCommandPermissionType as Type,
} from "discord.js";
import { describe, expect, test, vi } from "vitest";
import type { Caller } from "../../src/discord/commands/caller.ts";
import { createAccess } from "../../src/discord/interactions/access.ts";

const guildId = "1000";
const caller: Caller = {
  guildId,
  channelId: "20",
  userId: "30",
  roleIds: ["41", "42"],
  permissions: 0n,
  locale: "en",
};

const entry = (type: Type, id: string, permission: boolean): APIApplicationCommandPermission => ({
  type,
  id,
  permission,
});

const nothing = () => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const applicationId = "1";
const commandId = "7";

/** The settings of the application, and those of the command. */
const settings = (application: APIApplicationCommandPermission[], command: APIApplicationCommandPermission[]) => [
  { id: applicationId, application_id: applicationId, guild_id: guildId, permissions: application },
  { id: commandId, application_id: applicationId, guild_id: guildId, permissions: command },
];

/** Discord refuses a look-up so. */
const refusal = (status: number) =>
  new DiscordAPIError({ message: "Missing Access", code: 50001 }, 50001, status, "GET", "", { body: {}, files: [] });

/** Access over settings that can be changed, with a count of the reads. */
function setUp(staffRole?: string) {
  const state = {
    reads: 0,
    now: 0,
    /** What a look-up fails with, if it does. */
    error: undefined as Error | undefined,
    permissions: [entry(Type.User, "30", true)],
    application: [] as APIApplicationCommandPermission[],
  };
  const access = createAccess({
    applicationId,
    staffRole: async () => staffRole,
    async fetchOverrides() {
      state.reads += 1;
      if (state.error) throw state.error;
      return settings(state.application, state.permissions);
    },
    log,
    now: () => state.now,
  });
  const verdict = (id: string | undefined = commandId, isForStaff = true) => access.check(caller, { id, isForStaff });
  return { state, access, verdict };
}

describe("who is let in", () => {
  test.each([PermissionFlagsBits.ManageGuild, PermissionFlagsBits.Administrator])(
    "a member with the permission %s, without a look at the settings",
    async (permissions) => {
      const { state, access } = setUp();
      state.permissions = [entry(Type.User, "30", false)];
      expect(await access.check({ ...caller, permissions }, { id: commandId, isForStaff: true })).toBe("allowed");
      expect(state.reads).toBe(0);
    },
  );

  test("the staff role, and no member without it", async () => {
    const { access } = setUp("42");
    expect(await access.check(caller, { id: "8", isForStaff: true })).toBe("allowed");
    expect(await setUp("43").verdict("8")).toBe("denied");
    expect(await setUp("42").verdict("8", false)).toBe("denied");
  });

  test.each([
    ["the person", entry(Type.User, "30", false)],
    ["a role", entry(Type.Role, "41", false)],
    ["everyone", entry(Type.Role, guildId, false)],
    ["the channel", entry(Type.Channel, "20", false)],
  ])(
    "not the staff role where the settings bar %s, for the command or the application (0.1.0: let in)",
    async (_, bar) => {
      const { state, access, verdict } = setUp("42");
      state.permissions = [bar];
      expect(await verdict()).toBe("denied");

      access.forget(guildId);
      state.permissions = [entry(Type.User, "31", true)];
      state.application = [bar];
      expect(await verdict()).toBe("denied");
    },
  );

  test("settings of one command do not speak for another", async () => {
    const { verdict } = setUp();
    expect(await verdict("7")).toBe("allowed");
    expect(await verdict("8")).toBe("denied");
  });
});

describe("where it is not known whether the owner has closed a command to a person", () => {
  test("no member is let in, with the staff role or without: the settings were never read", async () => {
    for (const staffRole of ["42", undefined]) {
      const { state, verdict } = setUp(staffRole);
      state.error = new Error("no connection");
      expect(await verdict()).toBe("unknown");
    }
  });

  test.each([403, 404])(
    "the staff role decides where Discord does not let the bot read the settings (%i)",
    async (status) => {
      for (const [staffRole, expected] of [
        ["42", "allowed"],
        [undefined, "denied"],
      ] as const) {
        const { state, verdict } = setUp(staffRole);
        state.error = refusal(status);
        expect(await verdict()).toBe(expected);
      }
      const barred = setUp("42");
      barred.state.permissions = [entry(Type.User, "30", false)];
      expect(await barred.verdict()).toBe("denied");
      barred.state.error = refusal(status);
      barred.state.now = 3_600_000;
      expect(await barred.verdict(), "known from before").toBe("denied");
    },
  );

  test("no member is let in where the settings do not come, and that is said within 2 s", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { access } = setUpByHand("42");
      const asked = access.check(caller, { id: commandId, isForStaff: true });
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await asked).toBe("unknown");
    } finally {
      vi.useRealTimers();
    }
  });

  test("no member is let in after the settings changed, until they are read", async () => {
    const { state, access, verdict } = setUp("42");
    expect(await verdict("8")).toBe("allowed");
    access.forget(guildId);
    state.error = new Error("no connection");
    expect(await verdict("8")).toBe("unknown");
  });

  test("settings that were asked for before a change do not count after it", async () => {
    const { access, lookUps } = setUpByHand("42");
    const first = access.check(caller, { id: commandId, isForStaff: true });
    access.forget(guildId);
    lookUps[0]?.resolve(settings([], []));
    expect(await first).toBe("unknown");
  });

  test("no member is let in while the id of the command is not known and any command has entries of its own", async () => {
    const { state, access } = setUp("42");
    const check = () => access.check(caller, { id: undefined, isForStaff: true });
    expect(await check()).toBe("unknown");

    access.forget(guildId);
    state.permissions = [entry(Type.User, "30", false)];
    expect(await check()).toBe("unknown");
  });

  test("entries of the application speak for every command, also without its id", async () => {
    const ofApplication = (permission: boolean) => [
      {
        id: applicationId,
        application_id: applicationId,
        guild_id: guildId,
        permissions: [entry(Type.User, "30", permission)],
      },
    ];
    for (const [permission, expected] of [
      [true, "allowed"],
      [false, "denied"],
    ] as const) {
      const access = createAccess({
        applicationId,
        staffRole: async () => "42",
        fetchOverrides: async () => ofApplication(permission),
        log,
      });
      expect(await access.check(caller, { id: undefined, isForStaff: true })).toBe(expected);
    }
  });

  test("the settings of the last 10 minutes hold where they cannot be read now", async () => {
    const barred = setUp("42");
    barred.state.permissions = [entry(Type.User, "30", false)];
    const allowed = setUp();
    for (const [{ state, verdict }, known] of [
      [barred, "denied"],
      [allowed, "allowed"],
    ] as const) {
      expect(await verdict()).toBe(known);
      state.error = new Error("no connection");
      state.now += 60_000;
      expect(await verdict(), "as it fails").toBe(known);
      expect(await verdict(), "while it is not tried again").toBe(known);
      state.now = 599_999;
      expect(await verdict()).toBe(known);
      state.now = 600_000;
      expect(await verdict()).toBe("unknown");
    }
  });

  test("the settings of the last 10 minutes hold where they are late", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { access, state, lookUps } = setUpByHand("42");
      const first = access.check(caller, { id: commandId, isForStaff: true });
      lookUps[0]?.resolve(settings([], [entry(Type.User, "30", false)]));
      expect(await first).toBe("denied");
      state.now = 60_000;
      const second = access.check(caller, { id: commandId, isForStaff: true });
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await second).toBe("denied");
      expect(lookUps).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });
});

/** Access over look-ups that the test ends itself. */
function setUpByHand(staffRole: string) {
  const state = { now: 0 };
  const lookUps: PromiseWithResolvers<ReturnType<typeof settings>>[] = [];
  const access = createAccess({
    applicationId,
    staffRole: async () => staffRole,
    fetchOverrides() {
      const lookUp = Promise.withResolvers<ReturnType<typeof settings>>();
      lookUps.push(lookUp);
      return lookUp.promise;
    },
    log,
    now: () => state.now,
  });
  return { access, state, lookUps };
}

function setUpFailing(error: Error = refusal(403)) {
  const made = setUp();
  made.state.error = error;
  return made;
}

describe("look-ups of the settings", () => {
  test("are made once a minute and server, also for many who ask at once", async () => {
    const { state, verdict } = setUp();
    await Promise.all([verdict("7"), verdict("8")]);
    state.now = 59_999;
    await verdict();
    expect(state.reads).toBe(1);

    state.now = 60_000;
    await verdict();
    expect(state.reads).toBe(2);
  });

  test("are made again at once when the settings change", async () => {
    const { state, access, verdict } = setUp();
    expect(await verdict()).toBe("allowed");

    state.permissions = [];
    access.forget(guildId);
    expect(await verdict()).toBe("denied");
  });

  test.each([403, 404])(
    "that are refused (%i) are made again after 5 minutes: 1,000 presses in 10 make 2",
    async (status) => {
      const { state, verdict } = setUpFailing(refusal(status));
      for (; state.now < 600_000; state.now += 600) expect(await verdict()).toBe("denied");
      expect(state.reads).toBe(2);

      state.error = undefined;
      expect(await verdict()).toBe("allowed");
    },
  );

  test("that fail otherwise are made again after 10 s", async () => {
    const { state, verdict } = setUpFailing(new Error("no connection"));
    expect(await verdict()).toBe("unknown");

    state.now = 9_999;
    state.error = undefined;
    expect(await verdict()).toBe("unknown");

    state.now = 10_000;
    expect(await verdict()).toBe("allowed");
    expect(state.reads).toBe(2);
  });

  test("that are refused, with settings that change every second, are made every 10 s", async () => {
    const { state, access, verdict } = setUpFailing();
    for (; state.now < 600_000; state.now += 1_000) {
      access.forget(guildId);
      await verdict();
    }
    expect(state.reads).toBeLessThanOrEqual(61);

    state.error = undefined;
    state.now += 10_000;
    access.forget(guildId);
    expect(await verdict(), "and what the owner mended counts").toBe("allowed");
  });

  test("of more than 5,000 servers at once are not all kept", async () => {
    const { state, access } = setUp();
    const ask = (server: number) =>
      access.check({ ...caller, guildId: String(10_000 + server) }, { id: commandId, isForStaff: true });
    for (let server = 0; server <= 5_000; server++) await ask(server);
    await ask(5_000);
    expect(state.reads).toBe(5_001);

    await ask(0);
    expect(state.reads).toBe(5_002);
  });
});
