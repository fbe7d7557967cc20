import { PermissionFlagsBits } from "@discordjs/core";
import { beforeEach, describe, expect, it } from "vitest";
import { alerts } from "../../commands/alerts/alerts.ts";
import { store } from "../../commands/store/store.ts";
import type { Caller } from "../../src/discord/commands/caller.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";
import {
  type AlertDesk,
  channelId,
  createAlertDesk,
  fineChannel,
  guildId,
  manager,
  roleId,
  staff,
} from "../support/alert-desk.ts";
import { codeOf } from "../support/code-of.ts";
import { textOf } from "../support/views-support.ts";

const administrator = { ...staff, permissions: PermissionFlagsBits.Administrator };

let desk: AlertDesk;
beforeEach(() => {
  desk = createAlertDesk();
});

const set = (who: Caller, options: object = {}) => desk.run(alerts, "set", who, { channel: channelId, ...options });
const press = (shown: MessagePayload, label: string, who: Caller) => desk.press(alerts, shown, label, who);
const confirm = (shown: MessagePayload, who: Caller) => press(shown, "Confirm", who);

describe("a channel that everybody can read, where customers are shown", () => {
  beforeEach(() => {
    desk.look = () => ({ ...fineChannel, isPublic: true });
  });

  it("needs a confirmation by a person with Manage Server", async () => {
    for (const who of [manager, administrator]) {
      const question = await set(who);
      expect(textOf(question)).toContain("Continue?");
      expect(textOf(await confirm(question, who))).toContain("New orders are announced");
      expect(await codeOf(confirm(question, who))).toBe("expired");
    }
    expect(desk.turnedOn).toHaveLength(2);
  });

  it("stays with staff who change other settings of a channel in which only some members read", async () => {
    desk.look = () => fineChannel;
    desk.turnOnAlerts();
    expect(textOf(await set(staff))).toContain("New orders are announced");
  });

  it("cannot be confirmed by a person who has lost Manage Server since", async () => {
    expect(await codeOf(confirm(await set(manager), staff))).toBe("public_not_theirs");
    expect(desk.turnedOn).toEqual([]);
  });

  it("can be chosen by staff if customers are not shown", async () => {
    desk.guild = { ...desk.guild, settings: { ...desk.guild.settings, privacy: "none" } };
    expect(textOf(await set(staff))).toContain("Everyone in this server can read");
  });

  it("cannot be made to show them through the privacy setting either", async () => {
    const at = { channelId, statuses: ["PENDING"], since: 0 };
    desk.guild = { ...desk.guild, alerts: at, settings: { language: "en", privacy: "masked" } };
    expect(await codeOf(desk.run(store, "settings", staff, { privacy: "full" }))).toBe("public_not_theirs");
    expect(desk.guild.settings.privacy).toBe("masked");
    expect(textOf(await desk.run(store, "settings", staff, { privacy: "none" }))).toContain("not shown");

    desk.look = () => "uncertain";
    expect(await codeOf(desk.run(store, "settings", staff, { privacy: "masked" }))).toBe("discord_silent");
    expect(desk.guild.settings.privacy).toBe("none");

    desk.look = () => ({ ...fineChannel, isPublic: true });
    expect(textOf(await desk.run(store, "settings", manager, { privacy: "full" }))).toContain(
      "Everyone in this server",
    );

    desk.look = () => fineChannel;
    expect(textOf(await desk.run(store, "settings", staff, { privacy: "full" }))).not.toContain("Everyone");
  });
});

describe("a role that alerts are to mention", () => {
  const roleOf = (isMentionable: boolean, isTheirs: boolean, rings = isMentionable) => {
    desk.look = () => ({ ...fineChannel, role: { isMentionable, canMention: isTheirs, rings } });
  };

  it("is one that the caller may mention in that channel (0.1.0: any role)", async () => {
    roleOf(false, false);
    const silent =
      "<@&100000000000000003> is not notified yet: in the role's settings, let anyone mention it, or give the bot **Mention @everyone, @here, and All Roles** in that channel.";
    expect(textOf(await set(manager, { role: roleId }))).toContain(silent);

    roleOf(false, true);
    expect(textOf(await set(staff, { role: roleId }))).toContain(silent);

    roleOf(false, true, true);
    expect(textOf(await set(staff, { role: roleId }))).not.toContain("is not notified");

    roleOf(true, false);
    expect(textOf(await set(staff, { role: roleId }))).not.toContain("is not notified");
    expect(desk.turnedOn.map((chosen) => chosen.roleId)).toEqual([roleId, roleId, roleId, roleId]);
  });

  it("is not removed by @everyone, and the settings are shown (0.1.0: it was removed silently)", async () => {
    desk.turnOnAlerts({ roleId, statuses: ["PENDING", "PAID"] });
    roleOf(true, false);
    const answer = await set(staff, { role: guildId });

    expect(textOf(answer)).toContain("Alerts cannot mention @everyone, so the role stays as it was.");
    expect(textOf(answer)).toContain(`**Role:** <@&${roleId}>\n**Alerts for:** Pending, Paid`);
    expect(desk.turnedOn[0]?.roleId).toBe(roleId);
    expect(textOf(await press(answer, "No role", staff))).toContain("Alerts no longer mention a role.\n**Role:** none");
    expect(desk.guild.alerts).toEqual({ channelId, statuses: ["PENDING", "PAID"], since: 0 });
  });

  it("that is not notified yet can be inspected again, without a post", async () => {
    desk.turnOnAlerts({ roleId });
    roleOf(false, false, false);
    const answer = await set(manager, { role: roleId });
    desk.sent = 0;
    expect(textOf(await press(answer, "Try again", manager))).toContain("is not notified yet");

    roleOf(false, false, true);
    expect(textOf(await press(answer, "Try again", manager))).not.toContain("is not notified");
    expect(desk.sent).toBe(0);
  });
});

describe("a role that was chosen before", () => {
  const elsewhere = "100000000000000005";
  const roleOf = (isMentionable: boolean, isTheirs: boolean) => {
    desk.look = () => ({ ...fineChannel, role: { isMentionable, canMention: isTheirs, rings: isMentionable } });
  };
  beforeEach(() => {
    desk.turnOnAlerts({ roleId });
  });

  it("moves to another channel only with a caller who may mention it there (0.1.0: with anybody)", async () => {
    roleOf(false, false);
    expect(await codeOf(set(staff, { channel: elsewhere }))).toBe("role_not_theirs");
    expect(desk.turnedOn).toEqual([]);
    // Choosing @everyone removes no role, so it does not help. The button does.
    expect(await codeOf(set(staff, { channel: elsewhere, role: guildId }))).toBe("role_not_theirs");
    expect(textOf(await set(manager, { channel: elsewhere }))).toContain("New orders are announced");

    roleOf(false, true);
    expect(textOf(await set(staff, { channel: elsewhere }))).toContain("is not notified yet");
    expect(desk.turnedOn.map((chosen) => chosen.roleId)).toEqual([undefined, roleId]);

    await press(await desk.run(alerts, "test", staff), "No role", staff);
    roleOf(false, false);
    expect(textOf(await set(staff, { channel: elsewhere }))).toContain("**Role:** none");
  });

  it("stays when anybody changes the statuses", async () => {
    roleOf(false, false);
    expect(textOf(await set(staff))).toContain("New orders are announced");
    expect(desk.turnedOn).toMatchObject([{ roleId }]);
  });

  it("is not moved by a command that was checked before the role was chosen", async () => {
    desk.guild = { ...desk.guild, alerts: undefined, settings: { ...desk.guild.settings, privacy: "none" } };
    const asked = set(staff, { channel: elsewhere });
    desk.turnOnAlerts({ roleId });
    await asked;

    expect(desk.turnedOn).toMatchObject([{ roleId: guildId }]);
  });

  it("that was deleted does not block another channel", async () => {
    desk.look = () => fineChannel;
    desk.guild = { ...desk.guild, settings: { ...desk.guild.settings, privacy: "none" } };
    for (const who of [staff, manager])
      expect(textOf(await set(who, { channel: elsewhere }))).toContain("New orders are announced");
  });

  it("cannot be put into reminders by a person who may not mention it there, and who may still end them", async () => {
    desk = createAlertDesk({ now: () => 0 });
    desk.turnOnAlerts({ roleId });
    const remind = (who: Caller, options: object = { after: "30m" }) => desk.run(alerts, "remind", who, options);
    roleOf(false, false);
    expect(await codeOf(remind(staff))).toBe("role_not_theirs");
    expect(desk.reminders).toEqual([]);
    expect(textOf(await remind(staff, {}))).toContain("Reminders are off");
    await remind(staff, { after: "off" });
    await remind(manager);

    roleOf(false, true);
    await remind(staff);
    desk.look = () => fineChannel;
    await remind(staff);
    desk.look = () => ({ ...fineChannel, canWrite: false });
    expect(await codeOf(remind(staff))).toBe("channel_not_theirs");
    desk.look = () => "uncertain";
    expect(await codeOf(remind(staff))).toBe("discord_silent");
    const set = { afterMs: 30 * 60_000 };
    expect(desk.reminders).toEqual([undefined, set, set, set]);

    const rule = { id: "a", name: "Keys", channelId: elsewhere, roleId, style: "staff" } as const;
    desk.guild = { ...desk.guild, alerts: { channelId, statuses: ["PENDING"], since: 0 }, routes: [rule] };
    roleOf(false, false);
    expect(await codeOf(remind(staff))).toBe("role_not_theirs");
    roleOf(false, true);
    await remind(staff);
    expect(desk.reminders).toHaveLength(5);
  });

  it("is mentioned in a sample only for somebody who may mention it there (0.1.0: for anybody)", async () => {
    roleOf(false, false);
    expect(textOf(await desk.run(alerts, "test", staff))).toContain(`<@&${roleId}> was not mentioned`);
    expect(textOf(await desk.run(alerts, "test", manager))).not.toContain("was not mentioned");

    roleOf(true, false);
    expect(textOf(await desk.run(alerts, "test", staff))).not.toContain("was not mentioned");

    roleOf(false, true);
    await desk.run(alerts, "test", staff);
    desk.look = () => fineChannel;
    await desk.run(alerts, "test", staff);
    expect(desk.samples).toEqual([false, true, true, true, false]);
  });
});

describe("if Discord does not say who can read the channel", () => {
  beforeEach(() => {
    desk.look = () => "uncertain";
  });

  it("managers go on, and confirm if customers are shown", async () => {
    expect(textOf(await confirm(await set(manager), manager))).toContain("New orders are announced");
    desk.guild = { ...desk.guild, settings: { ...desk.guild.settings, privacy: "none" } };
    expect(textOf(await set(manager, { role: roleId }))).toContain("New orders are announced");
  });
});
