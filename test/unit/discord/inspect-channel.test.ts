import { type API, ChannelType, OverwriteType, PermissionFlagsBits } from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type InspectionTarget, inspectChannel } from "../../../src/discord/commands/inspect-channel.ts";
import { neededPermissions } from "../../../src/discord/publishing/invite.ts";
import type { ChannelModel, GuildModel } from "../../sandbox/discord/model.ts";
import { permissionsIn } from "../../sandbox/discord/permissions.ts";
import { codeOf } from "../../support/code-of.ts";

const guildId = "1";
const botId = "40";
const at: InspectionTarget = { guildId, channelId: "10", roleId: "3", userId: "20", roleIds: ["2"] };
const { ViewChannel, SendMessages, EmbedLinks, ReadMessageHistory, MentionEveryone, Administrator } =
  PermissionFlagsBits;

/** Permissions that matter, and Administrator now and then. */
const anyBits = fc
  .subarray([ViewChannel, SendMessages, EmbedLinks, ReadMessageHistory, MentionEveryone])
  .chain((bits) => fc.constantFrom(...Array(6).fill(bits), [...bits, Administrator]))
  .map((bits) => bits.reduce((all: bigint, bit: bigint) => all | bit, 0n));

interface Setting {
  readonly guild?: string;
  /** Permissions by role id. The server's own id is @everyone. */
  readonly roles?: Readonly<Record<string, bigint>>;
  readonly mentionable?: boolean;
  readonly type?: ChannelType;
  /** The server's list of channels has this one. */
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
const refusal = (status: number, code: number | string = 0) =>
  new DiscordAPIError({ code: 0, message: "no" }, code, status, "GET", "/channels/10", { files: [], body: {} });
const look = (setting: Setting, what: Partial<InspectionTarget> = {}) =>
  inspectChannel(apiOf(setting), botId, { ...at, ...what });

/** Role 2 is the member's, role 5 the bot's. */
const anySetting = fc.record({
  roles: fc.dictionary(fc.constantFrom("1", "2", "3", "5"), anyBits),
  overwrites: fc.uniqueArray(
    fc.record({
      id: fc.constantFrom("1", "2", "3", "5", "20", "21", botId),
      type: fc.constantFrom(OverwriteType.Role, OverwriteType.Member),
      allow: anyBits,
      deny: anyBits,
    }),
    { maxLength: 5, selector: ({ id, type }) => `${type} ${id}` },
  ),
});

it("permissions are those that the sandbox computes, for any roles and overwrites", async () => {
  await fc.assert(
    fc.asyncProperty(anySetting, async (setting) => {
      const roles = { "1": ViewChannel, "2": 0n, "3": 0n, "5": 0n, ...setting.roles };
      const guild = {
        id: guildId,
        ownerId: "",
        roles: Object.entries(roles).map(([id, permissions]) => ({ id, permissions })),
        members: [
          { user: { id: "20" }, roles: ["2"] },
          { user: { id: botId }, roles: ["5"] },
          { user: { id: "anybody" }, roles: [] },
        ],
      } as unknown as GuildModel;
      const has = (who: string, ...wanted: bigint[]) => {
        const permissions = permissionsIn(guild, who, setting as unknown as ChannelModel);
        return wanted.every((bit) => (permissions & bit) !== 0n);
      };
      const missing = neededPermissions.filter((name) => !has(botId, PermissionFlagsBits[name]));

      expect(await look(setting)).toMatchObject({
        isPublic: has("anybody", ViewChannel),
        canWrite: has("20", ViewChannel, SendMessages),
        // A channel that Discord shows to the bot may be viewed.
        missing: missing.includes("ViewChannel") ? [] : missing,
        role: { canMention: has("20", MentionEveryone), rings: has(botId, MentionEveryone) },
      });
    }),
  );
});

it("a channel and a role of another server are told", async () => {
  expect(await look({ guild: "9" }, { roleId: "99" })).toMatchObject({ isOwn: false, role: undefined });
  expect(await look({}, { roleId: undefined })).toMatchObject({ isOwn: true, isPublic: true, role: undefined });
});

it.each([
  [403, 50_001, "forbidden"],
  [404, 10_003, "channel_gone"],
  // Only a message there shows whether the channel exists.
  [404, 0, "uncertain"],
  // Many web servers answer so: { "error": "Not Found", "message": ..., "statusCode": 404 }.
  [404, "Not Found", "uncertain"],
  [500, 0, "uncertain"],
])("an answer of %i with code %s is the failure %s", async (status, named, code) => {
  const api = apiOf({});
  api.channels.get = () => Promise.reject(refusal(status, named));
  expect(await codeOf(inspectChannel(api, botId, at))).toBe(code);
});

it("a server whose roles Discord refuses to show has not lost its channel", async () => {
  const api = apiOf({});
  api.guilds.getRoles = () => Promise.reject(refusal(404));
  expect(await codeOf(inspectChannel(api, botId, at))).toBe("uncertain");
});

it("a server that shows the bot nothing refuses the channel, so attempts there are limited (before: the roles' refusal came first)", async () => {
  const api = apiOf({});
  const refuse = () => Promise.reject(refusal(403));
  Object.assign(api.channels, { get: refuse });
  Object.assign(api.guilds, { getChannels: refuse, getRoles: refuse, getMember: refuse });
  expect(await codeOf(inspectChannel(api, botId, at))).toBe("forbidden");
});

it("missing permissions are known from the server's list if the bot does not see the channel (0.1.0: they were not)", async () => {
  const refused = (setting: Setting) => {
    const api = apiOf({ ...setting, isListed: true });
    api.channels.get = () => Promise.reject(refusal(403));
    return inspectChannel(api, botId, at);
  };
  const overwrites = [{ id: "1", type: OverwriteType.Role, deny: ViewChannel | EmbedLinks }];
  expect(await refused({ overwrites })).toMatchObject({
    isPublic: false,
    missing: ["ViewChannel", "SendMessages", "EmbedLinks", "ReadMessageHistory"],
  });
  expect(await codeOf(refused({})), "which has another reason").toBe("forbidden");
});

it("Attach Files is missing only where Discord's answer and the computed permissions agree (before: also where they did not)", async () => {
  expect((await look({})).lacksFiles).toBe(true);
  const overwrites = [{ id: "1", type: OverwriteType.Role, deny: ViewChannel }];
  expect(await look({ overwrites }), "which Discord shows nevertheless").not.toHaveProperty("lacksFiles");
});

it("a role that everybody may mention rings, whatever the bot may", async () => {
  expect((await look({ mentionable: true })).role).toMatchObject({ isMentionable: true, rings: true });
});

it.each([
  [ChannelType.GuildText, true],
  [ChannelType.GuildAnnouncement, true],
  [ChannelType.GuildVoice, false],
  [ChannelType.PublicThread, false],
])("a channel of type %i takes alerts: %s", async (type, isText) => {
  expect((await look({ type })).isText).toBe(isText);
});
