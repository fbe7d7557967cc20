import { type API, OverwriteType, PermissionFlagsBits } from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";
import { describe, expect, it } from "vitest";
import { type LookAt, lookAtChannel } from "../../src/discord/channel-look.ts";
import { codeOf } from "./add-product-support.ts";

const guildId = "1";
const at: LookAt = { guildId, channelId: "10", roleId: "3", userId: "20", roleIds: ["2"] };
const { ViewChannel, SendMessages, MentionEveryone, Administrator } = PermissionFlagsBits;

interface Setting {
  readonly guild?: string;
  /** By role id; the server's own id is @everyone. */
  readonly roles?: Readonly<Record<string, bigint>>;
  readonly mentionable?: boolean;
  readonly overwrites?: readonly { id: string; type: OverwriteType; allow?: bigint; deny?: bigint }[];
}

function apiOf({ guild = guildId, roles = {}, mentionable = false, overwrites = [] }: Setting): API {
  const all = { "1": ViewChannel, "2": 0n, "3": 0n, ...roles };
  return {
    channels: {
      get: async () => ({
        guild_id: guild,
        permission_overwrites: overwrites.map(({ allow = 0n, deny = 0n, ...rest }) => ({
          ...rest,
          allow: String(allow),
          deny: String(deny),
        })),
      }),
    },
    guilds: {
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
const look = (setting: Setting, what: Partial<LookAt> = {}) => lookAtChannel(apiOf(setting), { ...at, ...what });

describe("everybody can read a channel", () => {
  it.each([
    [{}, true],
    [{ roles: { "1": 0n } }, false],
    [{ overwrites: [role("1", { deny: ViewChannel })] }, false],
    [{ roles: { "1": 0n }, overwrites: [role("1", { allow: ViewChannel })] }, true],
    [{ roles: { "1": Administrator }, overwrites: [role("1", { deny: ViewChannel })] }, true],
    // Neither some people's role nor some person's own setting opens or closes it for everybody.
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
    expect((await look(setting)).role).toEqual({ isMentionable: false, isTheirs });
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
    expect((await look(setting)).isTheirs).toBe(isTheirs);
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
  const raw = { code: 0, message: "no" };
  api.channels.get = () =>
    Promise.reject(new DiscordAPIError(raw, 0, status, "GET", "/channels/10", { files: [], body: {} }));
  expect(await codeOf(lookAtChannel(api, at))).toBe(code);
});
