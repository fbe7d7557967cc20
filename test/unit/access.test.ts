import {
  type APIApplicationCommandPermission,
  PermissionFlagsBits,
  ApplicationCommandPermissionType as Type,
} from "discord.js";
import { describe, expect, test } from "vitest";
import { createAccess, overrideFor } from "../../src/discord/access.ts";
import type { Caller } from "../../src/discord/define-command.ts";

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

const entry = (type: Type, id: string, permission: boolean): APIApplicationCommandPermission => ({
  type,
  id,
  permission,
});

describe("what a server's integration settings say", () => {
  test.each<[string, APIApplicationCommandPermission[], boolean | undefined]>([
    ["nothing", [], undefined],
    ["nothing about this member", [entry(Type.User, "31", true), entry(Type.Role, "43", true)], undefined],
    ["the person is allowed", [entry(Type.User, "30", true)], true],
    ["the person comes before the roles", [entry(Type.User, "30", false), entry(Type.Role, "41", true)], false],
    ["one allowed role is enough", [entry(Type.Role, "41", false), entry(Type.Role, "42", true)], true],
    ["a role comes before everyone", [entry(Type.Role, "41", false), entry(Type.Role, guildId, true)], false],
    ["everyone is allowed", [entry(Type.Role, guildId, true)], true],
    ["the channel is closed", [entry(Type.Channel, "20", false), entry(Type.User, "30", true)], false],
    ["all channels are closed", [entry(Type.Channel, everyChannel, false), entry(Type.User, "30", true)], false],
    [
      "all channels are closed but this one",
      [entry(Type.Channel, everyChannel, false), entry(Type.Channel, "20", true), entry(Type.User, "30", true)],
      true,
    ],
    ["an open channel alone allows nobody", [entry(Type.Channel, "20", true)], undefined],
  ])("%s", (_, permissions, expected) => {
    expect(overrideFor(caller, permissions)).toBe(expected);
  });
});

/** Access over settings that can be changed, with a count of the reads. */
function setUp(staffRole?: string) {
  const state = { reads: 0, now: 0, fail: false, permissions: [entry(Type.User, "30", true)] };
  const access = createAccess({
    applicationId: "1",
    staffRole: async () => staffRole,
    async fetchOverrides() {
      state.reads += 1;
      if (state.fail) throw new Error("Missing Access");
      return [{ id: "7", application_id: "1", guild_id: guildId, permissions: state.permissions }];
    },
    now: () => state.now,
  });
  return { state, access };
}

describe("who is let in", () => {
  test.each([PermissionFlagsBits.ManageGuild, PermissionFlagsBits.Administrator])(
    "a member with the permission %s, without a look at the settings",
    async (permissions) => {
      const { state, access } = setUp();
      expect(await access.allows({ ...caller, permissions }, { id: "8", isForStaff: true })).toBe(true);
      expect(state.reads).toBe(0);
    },
  );

  test("the staff role, and nobody without it", async () => {
    expect(await setUp("42").access.allows(caller, { id: "8", isForStaff: true })).toBe(true);
    expect(await setUp("43").access.allows(caller, { id: "8", isForStaff: true })).toBe(false);
    expect(await setUp("42").access.allows(caller, { id: "8", isForStaff: false })).toBe(false);
  });

  test("settings of one command do not speak for another", async () => {
    const { access } = setUp();
    expect(await access.allows(caller, { id: "7", isForStaff: true })).toBe(true);
    expect(await access.allows(caller, { id: "8", isForStaff: true })).toBe(false);
    expect(await access.allows(caller, { id: undefined, isForStaff: true })).toBe(false);
  });

  test("settings are read once a minute and server", async () => {
    const { state, access } = setUp();
    await Promise.all([
      access.allows(caller, { id: "7", isForStaff: true }),
      access.allows(caller, { id: "8", isForStaff: true }),
    ]);
    state.now = 59_999;
    await access.allows(caller, { id: "7", isForStaff: true });
    expect(state.reads).toBe(1);
    state.now = 60_000;
    await access.allows(caller, { id: "7", isForStaff: true });
    expect(state.reads).toBe(2);
  });

  test("settings that changed are read again at once", async () => {
    const { state, access } = setUp();
    expect(await access.allows(caller, { id: "7", isForStaff: true })).toBe(true);
    state.permissions = [];
    access.forget(guildId);
    expect(await access.allows(caller, { id: "7", isForStaff: true })).toBe(false);
  });

  test("settings that cannot be read let nobody in, and are tried again", async () => {
    const { state, access } = setUp();
    state.fail = true;
    expect(await access.allows(caller, { id: "7", isForStaff: true })).toBe(false);
    state.fail = false;
    expect(await access.allows(caller, { id: "7", isForStaff: true })).toBe(true);
  });
});
