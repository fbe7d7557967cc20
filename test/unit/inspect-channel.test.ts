import { type API, ChannelType, OverwriteType, PermissionFlagsBits } from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";
import { describe, expect, it } from "vitest";
import {
  HiddenChannelError,
  type InspectionTarget,
  inspectChannel,
} from "../../src/discord/commands/inspect-channel.ts";
import { codeOf } from "../support/code-of.ts";

const guildId = "1";
const botId = "40";
const at: InspectionTarget = { guildId, channelId: "10", roleId: "3", userId: "20", roleIds: ["2"] };
const { ViewChannel, SendMessages, EmbedLinks, ReadMessageHistory, MentionEveryone, Administrator } =
  PermissionFlagsBits;

interface Setting {
  readonly guild?: string;
  /** Permissions by role id. The server's own id is @everyone. */
  readonly roles?: Readonly<Record<string, bigint>>;
  readonly mentionable?: boolean;
  readonly type?: ChannelType;
  /** The channel is in the server's list of channels. */
  readonly isListed?: boolean;
  readonly overwrites?: readonly { id: string; type: OverwriteType; allow?: bigint; deny?: bigint }[];
}

function apiOf({
  guild = guildId,
  roles = {},
  mentionable = false,
  overwrites = [],
  type = ChannelType.GuildText,
  isListed = false,
}: Setting): API {
  const all = { "1": ViewChannel, "2": 0n, "3": 0n, "5": 0n, ...roles };
  const channel = {
    id: "10",
    type,
    guild_id: guild,
    permission_overwrites: overwrites.map(({ allow = 0n, deny = 0n, ...rest }) => ({
      ...rest,
      allow: String(allow),
      deny: String(deny),
    })),
  };
  return {
    channels: { get: async () => channel },
    guilds: {
      getChannels: async () => (isListed ? [channel] : []),
      getMember: async () => ({ roles: ["5"] }),
      getRoles: async () =>
        Object.entries(all).map(([id, permissions]) => ({ id, mentionable, permissions: String(permissions) })),
    },
  } as unknown as API;
}
const role = (id: string, change: { allow?: bigint; deny?: bigint }) => ({ id, type: OverwriteType.Role, ...change });
const member = (id: string, change: { allow?: bigint; deny?: bigint }) => ({
  id,
  type: OverwriteType.Member,
  ...change,
});
const refusal = (status: number) =>
  new DiscordAPIError({ code: 0, message: "no" }, 0, status, "GET", "/channels/10", { files: [], body: {} });
const look = (setting: Setting, what: Partial<InspectionTarget> = {}) =>
  inspectChannel(apiOf(setting), botId, { ...at, ...what });

describe("everybody can read a channel", () => {
  it.each([
    [{}, true],
    [{ roles: { "1": 0n } }, false],
    [{ overwrites: [role("1", { deny: ViewChannel })] }, false],
    [{ roles: { "1": 0n }, overwrites: [role("1", { allow: ViewChannel })] }, true],
    [{ roles: { "1": Administrator }, overwrites: [role("1", { deny: ViewChannel })] }, true],
    // Neither the role of some people nor the setting of one person opens or closes the channel for everybody.
    [{ roles: { "1": 0n, "2": ViewChannel }, overwrites: [role("2", { allow: ViewChannel })] }, false],
    [{ overwrites: [role("2", { deny: ViewChannel }), member("20", { deny: ViewChannel })] }, true],
    [{ roles: { "1": 0n }, overwrites: [member("1", { allow: ViewChannel })] }, false],
  ])("%#", async (setting, isPublic) => {
    expect((await look(setting)).isPublic).toBe(isPublic);
  });
});

describe("a member may mention a role there", () => {
  it.each([
    [{}, false],
    [{ roles: { "1": MentionEveryone } }, true],
    [{ roles: { "2": MentionEveryone } }, true],
    [{ roles: { "3": MentionEveryone } }, false],
    [{ roles: { "2": Administrator }, overwrites: [member("20", { deny: MentionEveryone })] }, true],
    [{ roles: { "2": MentionEveryone }, overwrites: [role("1", { deny: MentionEveryone })] }, false],
    [{ overwrites: [role("1", { deny: MentionEveryone }), role("2", { allow: MentionEveryone })] }, true],
    [{ overwrites: [role("2", { allow: MentionEveryone }), member("20", { deny: MentionEveryone })] }, false],
    [{ overwrites: [member("20", { allow: MentionEveryone }), member("21", { deny: MentionEveryone })] }, true],
  ])("%#", async (setting, isTheirs) => {
    expect((await look(setting)).role).toMatchObject({ isMentionable: false, canMention: isTheirs });
  });

  it("by the role's own setting", async () => {
    expect((await look({ mentionable: true })).role?.isMentionable).toBe(true);
  });
});

describe("a member may write there", () => {
  const both = ViewChannel | SendMessages;
  it.each([
    [{}, false],
    [{ roles: { "1": SendMessages } }, false],
    [{ roles: { "1": both } }, true],
    [{ roles: { "2": SendMessages } }, true],
    [{ roles: { "1": both }, overwrites: [role("1", { deny: ViewChannel })] }, false],
    [{ roles: { "1": both }, overwrites: [member("20", { deny: SendMessages })] }, false],
    [{ roles: { "1": 0n }, overwrites: [role("2", { allow: both })] }, true],
    [{ roles: { "2": Administrator }, overwrites: [role("1", { deny: both })] }, true],
  ])("%#", async (setting, isTheirs) => {
    expect((await look(setting)).canWrite).toBe(isTheirs);
  });
});

it("a channel and a role of another server are told", async () => {
  expect(await look({ guild: "9" }, { roleId: "99" })).toMatchObject({ isOwn: false, role: undefined });
  expect(await look({}, { roleId: undefined })).toMatchObject({ isOwn: true, isPublic: true, role: undefined });
});

it.each([
  [403, "forbidden"],
  [404, "channel_gone"],
  [500, "uncertain"],
])("an answer of %i is the failure that a message there would be: %s", async (status, code) => {
  const api = apiOf({});
  api.channels.get = () => Promise.reject(refusal(status));
  expect(await codeOf(inspectChannel(api, botId, at))).toBe(code);
});

describe("the bot's missing permissions", () => {
  const all = ViewChannel | SendMessages | EmbedLinks | ReadMessageHistory;
  it.each([
    [{ roles: { "1": all } }, []],
    [{ roles: { "1": 0n, "5": all } }, []],
    [{ roles: { "1": ViewChannel, "2": all } }, ["SendMessages", "EmbedLinks", "ReadMessageHistory"]],
    [
      { roles: { "1": all }, overwrites: [role("1", { deny: EmbedLinks | ReadMessageHistory })] },
      ["EmbedLinks", "ReadMessageHistory"],
    ],
    [{ roles: { "1": all }, overwrites: [role("1", { deny: SendMessages }), role("5", { allow: SendMessages })] }, []],
    [{ roles: { "1": all }, overwrites: [member(botId, { deny: SendMessages })] }, ["SendMessages"]],
    [{ roles: { "1": 0n, "5": Administrator }, overwrites: [member(botId, { deny: all })] }, []],
  ])("%#", async (setting, missing) => {
    expect((await look(setting)).missing).toEqual(missing);
  });

  it("are not guessed from its roles: a channel that Discord shows may be viewed", async () => {
    expect((await look({ roles: { "1": 0n, "2": all } })).missing).toEqual([]);
  });

  it("are known from the server's list if the bot does not see the channel (0.1.0: they were not)", async () => {
    const hidden = apiOf({ isListed: true, overwrites: [role("1", { deny: ViewChannel | EmbedLinks })] });
    hidden.channels.get = () => Promise.reject(refusal(403));
    const error = await inspectChannel(hidden, botId, at).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(HiddenChannelError);
    expect(error).toMatchObject({
      code: "forbidden",
      inspection: { isPublic: false, missing: ["ViewChannel", "SendMessages", "EmbedLinks", "ReadMessageHistory"] },
    });
  });

  it("are not reported for a refusal with another reason", async () => {
    const seen = apiOf({ isListed: true });
    seen.channels.get = () => Promise.reject(refusal(403));
    const error = await inspectChannel(seen, botId, at).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "forbidden" });
    expect(error).not.toBeInstanceOf(HiddenChannelError);
  });
});

it.each([
  [{ mentionable: true }, true],
  [{}, false],
  [{ roles: { "5": MentionEveryone } }, true],
  [{ roles: { "5": MentionEveryone }, overwrites: [member(botId, { deny: MentionEveryone })] }, false],
])("a role rings when the bot mentions it (%#)", async (setting, rings) => {
  expect((await look(setting)).role?.rings).toBe(rings);
});

it.each([
  [ChannelType.GuildText, true],
  [ChannelType.GuildAnnouncement, true],
  [ChannelType.GuildVoice, false],
  [ChannelType.PublicThread, false],
])("a channel of type %i takes alerts: %s", async (type, isText) => {
  expect((await look({ type })).isText).toBe(isText);
});
