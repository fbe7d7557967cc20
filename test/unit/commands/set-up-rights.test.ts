import { beforeEach, describe, expect, it } from "vitest";
import { alerts } from "../../../commands/alerts/alerts.ts";
import { digest } from "../../../commands/digest.ts";
import { store } from "../../../commands/store/store.ts";
import { budgets } from "../../../src/basics/limits/budgets.ts";
import type { Caller } from "../../../src/discord/commands/caller.ts";
import type { ChannelInspection } from "../../../src/discord/commands/inspect-channel.ts";
import type { SetUp } from "../../../src/sessions/session-kinds.ts";
import { customIds } from "../../../src/views/parts/custom-ids.ts";
import { ProblemError } from "../../../src/views/parts/problem.ts";
import { codeOf } from "../../support/code-of.ts";
import { messageOf, pressJob, submitJob } from "../../support/command-jobs.ts";
import {
  type AlertDesk,
  channelId,
  createAlertDesk,
  fineChannel,
  guildId,
  lastSession,
  manager,
  roleId,
  staff,
} from "../../support/engine/alert-desk.ts";
import { nodes, textOf } from "../../support/views-support.ts";

const session = "AbCdEfGhIjKl";
const withRole = (isMentionable: boolean, isTheirs: boolean): ChannelInspection => ({
  ...fineChannel,
  role: { isMentionable, canMention: isTheirs, rings: true },
});

/** Choices in the menus of the set-up. */
let setUps: ReturnType<typeof lastSession<SetUp>>;
let desk: AlertDesk;

beforeEach(() => {
  setUps = lastSession<SetUp>({ channelId, rings: "both" });
  desk = createAlertDesk({
    forToken: () => ({}),
    setUps,
    tokenAttempts: async <T>(_: unknown, work: () => Promise<T>) => work(),
  });
});

function press(who: Caller, action: string, { args = [session], value = "" } = {}) {
  return messageOf(pressJob(store, ["store", action, ...args].join(":"), who, value), desk.services);
}
const send = (who: Caller, ...more: string[]) => press(who, "sample", { args: [session, ...more] });
const connect = (who: Caller) =>
  messageOf(submitJob(store, customIds.store.windows.token.make({}), who, { token: "made-up" }), desk.services);

describe("a person without Manage Server", () => {
  it.each<[string, ChannelInspection | "uncertain", Partial<SetUp>, string]>([
    ["a channel in which they may not write", { ...fineChannel, canWrite: false }, {}, "channel_not_theirs"],
    ["a channel of another server", { ...fineChannel, isOwn: false }, {}, "foreign_channel"],
    ["customers where everybody reads", { ...fineChannel, isPublic: true }, {}, "public_not_theirs"],
    ["customers where some members read", fineChannel, {}, "customers_not_theirs"],
    ["a role that they may not mention", withRole(false, false), { roleId }, "role_not_theirs"],
    ["a role of another server", fineChannel, { roleId }, "foreign_role"],
    ["a channel of which Discord does not say who reads it", "uncertain", {}, "discord_silent"],
  ])("takes no %s", async (_, seen, choice, code) => {
    desk.look = () => seen;
    desk.turnOnAlerts({ channelId: "100000000000000009" });
    setUps.kept = { channelId, rings: "both", ...choice };
    const role = choice.roleId;
    const asked = { channel: channelId, role };
    if (seen !== "uncertain") {
      expect(await codeOf(press(staff, role ? "role" : "channel", { value: role ?? channelId }))).toBe(code);
    }
    expect(await codeOf(send(staff))).toBe(code);
    expect(await codeOf(send(staff, channelId))).toBe(code);
    expect(await codeOf(desk.run(alerts, "set", staff, asked))).toBe(code);
    // A rule's alerts leave customers out where everybody reads, and a digest has neither customers nor a role.
    if (code !== "public_not_theirs") {
      expect(await codeOf(desk.run(alerts, "route add", staff, { ...asked, name: "Keys" }))).toBe(code);
    }
    if (!/role|customers|public/.test(code)) {
      expect(await codeOf(desk.run(digest, "set", staff, { ...asked, every: "day", hour: 9 }))).toBe(code);
    }
    if (code.startsWith("foreign")) expect(await codeOf(desk.run(alerts, "set", manager, asked))).toBe(code);
    expect([desk.sent, desk.turnedOn, desk.samples, desk.guild.routes]).toEqual([0, [], [], undefined]);
  });

  it("begins with the channel of the command only if the person may write in it", async () => {
    await connect(staff);
    expect(setUps.kept?.channelId).toBe(channelId);

    desk.look = () => ({ ...fineChannel, canWrite: false });
    await connect(staff);
    expect(setUps.kept?.channelId).toBeUndefined();

    await connect(manager);
    expect(setUps.kept?.channelId).toBe(channelId);
  });

  it("begins with no channel if everybody would read customers in the channel of the command", async () => {
    desk.look = () => ({ ...fineChannel, isPublic: true });
    await connect(manager);
    expect(setUps.kept?.channelId).toBeUndefined();

    desk.guild = { ...desk.guild, settings: { ...desk.guild.settings, privacy: "none" } };
    await connect(manager);
    expect(setUps.kept?.channelId).toBe(channelId);
  });

  it.each([
    ["may mention themselves", false, true],
    ["and everybody may mention", true, false],
  ])("mentions a role that they %s", async (_, isMentionable, isTheirs) => {
    desk.look = () => withRole(isMentionable, isTheirs);
    desk.guild = { ...desk.guild, settings: { ...desk.guild.settings, privacy: "none" } };
    await press(staff, "role", { value: roleId });
    await send(staff);

    expect(desk.turnedOn).toMatchObject([{ channelId, roleId }]);
    expect(desk.samples).toEqual([true]);
  });
});

describe("the set-up by a person with Manage Server", () => {
  it("asks before customers are shown where everybody can read", async () => {
    desk.look = () => ({ ...fineChannel, isPublic: true });
    const panel = await press(manager, "channel", { value: channelId });
    expect(nodes(panel).find(({ label }) => label === "Confirm")?.custom_id).toBe(
      `store:sample:${session}:${channelId}`,
    );

    await send(manager);
    expect(desk.turnedOn).toEqual([]);

    // Before, only the answer of /alerts set said so.
    expect(textOf(await send(manager, channelId))).toContain(`Everyone in this server can read <#${channelId}>.`);
    expect(desk.turnedOn).toHaveLength(1);
  });

  it.each([true, false])("takes a Confirm only for the channel that it was for (public: %s)", async (isPublic) => {
    desk.look = () => ({ ...fineChannel, isPublic });
    const other = "100000000000000009";
    await press(manager, "channel", { value: other });
    const again = await send(manager, channelId);
    expect([desk.turnedOn, desk.samples]).toEqual([[], []]);

    const button = nodes(again).find(({ label }) => label === (isPublic ? "Confirm" : "Send a sample"));
    expect(button?.custom_id).toBe(`store:sample:${session}${isPublic ? `:${other}` : ""}`);

    await send(manager, ...(isPublic ? [other] : []));
    expect(desk.turnedOn).toMatchObject([{ channelId: other }]);
  });

  it("posts one sample for presses at the same time, and another one later or for other problems", async () => {
    await Promise.all([send(manager), send(manager)]);
    expect([desk.samples, desk.turnedOn]).toMatchObject([[true], [{ channelId }]]);

    await send(manager);
    expect(desk.samples).toHaveLength(2);

    const looks = [fineChannel, { ...fineChannel, missing: ["EmbedLinks"] as const }];
    desk.look = () => looks.shift() ?? fineChannel;
    await Promise.all([send(manager), send(manager)]);
    expect(desk.samples).toHaveLength(4);
  });

  it("does what its answer says for a channel chosen again, and after somebody else turned alerts off", async () => {
    const other = "100000000000000009";
    for (const channel of [channelId, other, channelId]) {
      await press(manager, "channel", { value: channel });
      await send(manager);
      expect(desk.guild.alerts?.channelId).toBe(channel);
    }
    const { alerts: _, ...off } = desk.guild;
    desk.guild = off;
    await send(manager);
    expect(desk.guild.alerts?.channelId).toBe(channelId);
    expect(desk.samples).toHaveLength(4);
  });

  it("accepts any channel and any role of the server", async () => {
    desk.look = () => ({ ...withRole(false, false), canWrite: false });
    await press(manager, "role", { value: roleId });
    await send(manager);
    expect(desk.turnedOn).toMatchObject([{ roleId }]);
  });
});

it("a menu of another person's set-up changes no setting", async () => {
  const before = desk.guild;
  Object.assign(desk.services.setUps, {
    find: async () => {
      throw new ProblemError({ code: "someone_elses" });
    },
  });
  expect(await codeOf(press(manager, "language", { value: "es" }))).toBe("someone_elses");
  expect(desk.guild).toEqual(before);
});

it("no sample mentions a role that another person has chosen since", async () => {
  desk.meanwhile = () => {
    const { alerts } = desk.guild;
    if (alerts !== undefined) desk.guild = { ...desk.guild, alerts: { ...alerts, roleId } };
  };
  desk.guild = { ...desk.guild, settings: { ...desk.guild.settings, privacy: "none" } };
  await send(staff);

  expect(desk.turnedOn).toMatchObject([{ roleId: guildId }]);
  expect(desk.samples).toEqual([false]);
});

it.each(["the channel hidden", "the channel closed"])("refused samples are limited: %s", async (what) => {
  if (what.includes("hidden")) desk.look = () => "forbidden";
  else desk.announcement = "forbidden";
  const codes: unknown[] = [];
  for (let count = 0; count < 50; count += 1) codes.push(await codeOf(send(manager)));
  const { burst } = budgets.refusedAttempts.ofPerson;

  expect(codes).toEqual([...Array(burst).fill("forbidden"), ...Array(50 - burst).fill("cooldown")]);
  expect(desk.sent + (what.includes("hidden") ? desk.looks : 0)).toBe(burst);
});
