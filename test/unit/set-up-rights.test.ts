import { PermissionFlagsBits } from "@discordjs/core";
import { beforeEach, describe, expect, it } from "vitest";
import { store } from "../../commands/store/store.ts";
import { MessengerError, type MessengerFailure } from "../../src/alerts/messenger.ts";
import type { ChosenAlerts } from "../../src/alerts/turn-on.ts";
import { createBudget } from "../../src/basics/budget.ts";
import { budgets } from "../../src/basics/budgets.ts";
import { createAttempts } from "../../src/discord/attempts.ts";
import type { Caller } from "../../src/discord/caller.ts";
import type { ChannelLook, LookAt } from "../../src/discord/channel-look.ts";
import type { Guild } from "../../src/guilds/guild.ts";
import type { Services } from "../../src/services.ts";
import type { SetUp } from "../../src/sessions/set-up.ts";
import { customId } from "../../src/views/custom-id.ts";
import { customIds } from "../../src/views/custom-ids.ts";
import { messageOf, pressJob, submitJob } from "../support/command-jobs.ts";
import { nodes, textOf } from "../support/views-support.ts";
import { codeOf } from "./add-product-support.ts";

const guildId = "100000000000000001";
const channel = "100000000000000002";
const role = "100000000000000003";
const session = "AbCdEfGhIjKl";
/** Somebody whom the integration settings let use `/store`. */
const staff: Caller = {
  guildId,
  channelId: channel,
  userId: "100000000000000004",
  roleIds: [],
  permissions: PermissionFlagsBits.ViewChannel,
  locale: "en",
};
const manager = { ...staff, permissions: PermissionFlagsBits.ManageGuild };
const fine: ChannelLook = { isOwn: true, isText: true, missing: [], isPublic: false, isTheirs: true };
const withRole = (isMentionable: boolean, isTheirs: boolean): ChannelLook => ({
  ...fine,
  role: { isMentionable, isTheirs, rings: true },
});

let guild: Guild;
let look: ChannelLook | MessengerFailure;
let chosen: SetUp;
/** What becomes of a message in the channel. */
let announcement: MessengerFailure | undefined;
let turnedOn: ChosenAlerts[];
let samples: boolean[];
/** Chooses another role while the sample is on its way. */
let meanwhile: string | undefined;
let asked: number;
let services: Services;

beforeEach(() => {
  guild = { id: guildId, settings: { language: "en", privacy: "masked" } };
  look = fine;
  chosen = { channelId: channel, rings: "both" };
  announcement = undefined;
  turnedOn = [];
  samples = [];
  meanwhile = undefined;
  asked = 0;
  const fake = {
    guilds: {
      get: async () => guild,
      update: async (_: string, change: (before: Guild) => Guild) => {
        guild = change(guild);
        return guild;
      },
    },
    connected: async () => ({ guildId, guild, store: {}, catalog: { recentOrders: async () => [] } }),
    forToken: () => ({}),
    forgetSeen: () => undefined,
    alerts: {
      connect: async () => guild,
      async turnOn(_: string, __: unknown, settings: ChosenAlerts) {
        asked += 1;
        if (announcement) throw new MessengerError(announcement);
        turnedOn.push(settings);
        const roleId = meanwhile ?? (settings.roleId === guildId ? undefined : settings.roleId);
        guild = { ...guild, alerts: { channelId: channel, roleId, statuses: ["PENDING"], since: 0 } };
        return { pending: 0, complete: true, isNew: true };
      },
      async test(_: Guild, { mentions }: { mentions: boolean }) {
        samples.push(mentions);
      },
    },
    async lookAt({ roleId }: LookAt) {
      if (typeof look === "string") {
        asked += 1;
        throw new MessengerError(look);
      }
      return roleId === undefined ? { ...look, role: undefined } : look;
    },
    setUps: {
      async keep(_: unknown, begun: SetUp) {
        chosen = begun;
        return session;
      },
      find: async () => chosen,
      async change(_: string, __: unknown, change: (before: SetUp) => SetUp) {
        chosen = change(chosen);
        return chosen;
      },
    },
    attempts: createAttempts({
      ofPerson: createBudget(budgets.refusedAttempts.ofPerson, () => 0),
      ofServer: createBudget(budgets.refusedAttempts.ofServer, () => 0),
      ofManagers: createBudget(budgets.refusedAttempts.ofManagers, () => 0),
    }),
    tokenAttempts: async <T>(_: unknown, work: () => Promise<T>) => work(),
  };
  services = fake as unknown as Services;
});

function press(who: Caller, action: string, { args = [session], values = [] as string[] } = {}) {
  return messageOf(pressJob(store, customId("store", action, ...args), who, values), services);
}
const send = (who: Caller, ...more: string[]) => press(who, "sample", { args: [session, ...more] });
const connect = (who: Caller) =>
  messageOf(submitJob(store, customIds.store.windows.token.make({}), who, { token: "made-up" }), services);

describe("the set-up in the hands of somebody without Manage Server", () => {
  it.each<[string, ChannelLook, Partial<SetUp>, string]>([
    ["a channel in which they may not write", { ...fine, isTheirs: false }, {}, "channel_not_theirs"],
    ["a channel of another server", { ...fine, isOwn: false }, {}, "foreign_channel"],
    ["customers where everybody reads", { ...fine, isPublic: true }, {}, "public_not_theirs"],
    ["customers where some members read", fine, {}, "customers_not_theirs"],
    ["a role that they may not mention", withRole(false, false), { roleId: role }, "role_not_theirs"],
    ["a role of another server", fine, { roleId: role }, "foreign_role"],
  ])("takes no %s, in the menu nor by the button, confirmed or not", async (_, seen, choice, code) => {
    look = seen;
    chosen = { ...chosen, ...choice };
    const values = [choice.roleId ?? channel];
    expect(await codeOf(press(staff, choice.roleId ? "role" : "channel", { values }))).toBe(code);
    expect(await codeOf(send(staff))).toBe(code);
    expect(await codeOf(send(staff, channel))).toBe(code);
    expect([turnedOn, samples]).toEqual([[], []]);
  });

  it("does not go on where Discord does not say who can read the channel", async () => {
    look = "uncertain";
    expect(await codeOf(send(staff, channel))).toBe("discord_silent");
    expect(textOf(await send(manager, channel))).toContain("Alerts are on");
  });

  it("begins with the channel of the command only where they may write in it", async () => {
    await connect(staff);
    expect(chosen.channelId).toBe(channel);
    look = { ...fine, isTheirs: false };
    await connect(staff);
    expect(chosen.channelId).toBeUndefined();
    await connect(manager);
    expect(chosen.channelId).toBe(channel);
  });

  it.each([
    ["may mention themselves", false, true],
    ["and everybody may mention", true, false],
  ])("mentions a role that they %s", async (_, isMentionable, isTheirs) => {
    look = withRole(isMentionable, isTheirs);
    guild = { ...guild, settings: { ...guild.settings, privacy: "none" } };
    await press(staff, "role", { values: [role] });
    await send(staff);
    expect(turnedOn).toMatchObject([{ channelId: channel, roleId: role }]);
    expect(samples).toEqual([true]);
  });
});

describe("the set-up in the hands of somebody with Manage Server", () => {
  it("asks before customers are shown where everybody reads", async () => {
    look = { ...fine, isPublic: true };
    const panel = await press(manager, "channel", { values: [channel] });
    expect(nodes(panel).find(({ label }) => label === "Confirm")?.custom_id).toBe(`store:sample:${session}:${channel}`);
    await send(manager);
    expect(turnedOn).toEqual([]);
    await send(manager, channel);
    expect(turnedOn).toHaveLength(1);
  });

  it.each([true, false])(
    "takes no Confirm for another channel than the one it was for (public: %s)",
    async (isPublic) => {
      look = { ...fine, isPublic };
      const other = "100000000000000009";
      await press(manager, "channel", { values: [other] });
      const again = await send(manager, channel);
      expect([turnedOn, samples]).toEqual([[], []]);
      const button = nodes(again).find(({ label }) => label === (isPublic ? "Confirm" : "Send a sample"));
      expect(button?.custom_id).toBe(`store:sample:${session}${isPublic ? `:${other}` : ""}`);
      await send(manager, ...(isPublic ? [other] : []));
      expect(turnedOn).toMatchObject([{ channelId: other }]);
    },
  );

  it("takes any channel and any role of the server", async () => {
    look = { ...withRole(false, false), isTheirs: false };
    await press(manager, "role", { values: [role] });
    await send(manager);
    expect(turnedOn).toMatchObject([{ roleId: role }]);
  });
});

it("no sample mentions a role that another person chose meanwhile", async () => {
  meanwhile = role;
  guild = { ...guild, settings: { ...guild.settings, privacy: "none" } };
  await send(staff);
  expect(turnedOn).toMatchObject([{ roleId: guildId }]);
  expect(samples).toEqual([false]);
});

it.each(["the channel hidden", "the channel closed"])("is asked for as often as a person may (%s)", async (what) => {
  if (what.includes("hidden")) look = "forbidden";
  else announcement = "forbidden";
  const codes: unknown[] = [];
  for (let count = 0; count < 50; count += 1) codes.push(await codeOf(send(manager)));
  const { burst } = budgets.refusedAttempts.ofPerson;
  expect(codes).toEqual([...Array(burst).fill("forbidden"), ...Array(50 - burst).fill("cooldown")]);
  expect(asked).toBe(burst);
});
