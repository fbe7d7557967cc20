import { type APIApplicationCommandPermission, ApplicationCommandPermissionType as Type } from "discord.js";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../src/discord/commands/caller.ts";
import { merged, overrideFor } from "../../src/discord/interactions/access.ts";

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

test("a thread has the settings of its channel", () => {
  const inThread = { ...caller, channelId: "77", parentId: "20" };
  const allChannels = entry(Type.Channel, String(BigInt(guildId) - 1n), false);
  const here = entry(Type.Channel, "20", true);
  const user = entry(Type.User, "30", true);

  expect(overrideFor(inThread, [allChannels, here, user])).toBe(true);
  expect(overrideFor(inThread, [entry(Type.Channel, "20", false), user])).toBe(false);
  expect(overrideFor({ ...inThread, parentId: "21" }, [allChannels, here, user])).toBe(false);
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

const applicationId = "1";
const commandId = "7";

/** The settings of the application, and those of the command. */
const settings = (application: APIApplicationCommandPermission[], command: APIApplicationCommandPermission[]) => [
  { id: applicationId, application_id: applicationId, guild_id: guildId, permissions: application },
  { id: commandId, application_id: applicationId, guild_id: guildId, permissions: command },
];

describe("settings of the application and of the command", () => {
  test("are merged entry by entry: the command's own takes the place of the application's", () => {
    const both = settings(
      [entry(Type.User, "30", false), entry(Type.Role, "41", true), entry(Type.Role, "30", true)],
      [entry(Type.User, "30", true), entry(Type.Channel, "20", false)],
    );
    const expected = [
      entry(Type.User, "30", true),
      entry(Type.Role, "41", true),
      entry(Type.Role, "30", true),
      entry(Type.Channel, "20", false),
    ];

    expect(merged(both, commandId, applicationId)).toEqual(expected);
    expect(merged(both.toReversed(), commandId, applicationId), "in whatever order they come").toEqual(expected);
    expect(merged([], commandId, applicationId)).toEqual([]);
  });

  test.each<[string, APIApplicationCommandPermission[], APIApplicationCommandPermission[], boolean | undefined]>([
    [
      "a person barred from the application stays so beside entries of the command (0.1.0: was let in)",
      [entry(Type.User, "30", false)],
      [entry(Type.Role, "41", true)],
      false,
    ],
    [
      "a channel closed for the application stays closed (0.1.0: was open)",
      [entry(Type.Channel, everyChannel, false)],
      [entry(Type.User, "30", true)],
      false,
    ],
    [
      "a channel opened for the command is open",
      [entry(Type.Channel, everyChannel, false)],
      [entry(Type.Channel, "20", true), entry(Type.User, "30", true)],
      true,
    ],
    [
      "a role that the application allows is let in beside entries of the command (0.1.0: was not)",
      [entry(Type.Role, "41", true)],
      [entry(Type.User, "31", true)],
      true,
    ],
    ["a role barred by the command is barred", [entry(Type.Role, "41", true)], [entry(Type.Role, "41", false)], false],
    [
      "everyone barred from the application, a role allowed for the command",
      [entry(Type.Role, guildId, false)],
      [entry(Type.Role, "42", true)],
      true,
    ],
  ])("%s", (_, application, command, expected) => {
    const entries = merged(settings(application, command), commandId, applicationId) ?? [];
    expect(overrideFor(caller, entries)).toBe(expected);
  });
});
