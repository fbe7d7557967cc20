import { PermissionFlagsBits } from "@discordjs/core";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { alerts } from "../../../commands/alerts/alerts.ts";
import { store } from "../../../commands/store/store.ts";
import type { Caller } from "../../../src/discord/commands/caller.ts";
import { destinationOf } from "../../../src/outbox/destination.ts";
import type { MessagePayload } from "../../../src/views/parts/payload.ts";
import { codeOf } from "../../support/code-of.ts";
import {
  channelId,
  createAlertDesk,
  fineChannel,
  guildId,
  manager,
  roleId,
  staff,
} from "../../support/engine/alert-desk.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { textOf } from "../../support/views-support.ts";

const elsewhere = "100000000000000009";
const administrator = { ...staff, permissions: PermissionFlagsBits.Administrator };

const desk = useFixture(() => createAlertDesk());

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
      expect(textOf(await confirm(question, who))).toContain("Order alerts come to");
      expect(await codeOf(confirm(question, who))).toBe("expired");
    }
    expect(desk.turnedOn).toHaveLength(2);
  });

  it("can be confirmed again after a failure", async () => {
    const question = await set(manager);
    desk.announcement = "uncertain";
    expect(await codeOf(confirm(question, manager))).toBe("uncertain");
    desk.announcement = undefined;
    expect(textOf(await confirm(question, manager))).toContain("Order alerts come to");
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
  const roleOf = (isMentionable: boolean, rings: boolean) => {
    desk.look = () => ({ ...fineChannel, role: { isMentionable, canMention: false, rings } });
  };

  it("is not removed by @everyone, and the settings are shown (0.1.0: it was removed silently)", async () => {
    desk.turnOnAlerts({ roleId, statuses: ["PENDING", "PAID"] });
    roleOf(true, true);
    const answer = await set(staff, { role: guildId });

    expect(textOf(answer)).toContain("Alerts cannot mention @everyone, so the role stays as it was.");
    expect(textOf(answer)).toContain(`**Role:** <@&${roleId}>\n**Alerts for:** Pending, Paid`);
    expect(desk.turnedOn[0]?.roleId).toBe(roleId);
    expect(textOf(await press(answer, "No role", staff))).toContain("Alerts no longer mention a role.\n**Role:** none");
    expect(desk.guild.alerts).toEqual({ channelId, statuses: ["PENDING", "PAID"], since: 0 });
  });

  it("that is not notified yet can be inspected again, without a post", async () => {
    desk.turnOnAlerts({ roleId });
    roleOf(false, false);
    const answer = await set(manager, { role: roleId });
    desk.sent = 0;
    expect(textOf(await press(answer, "Try again", manager))).toContain("is not notified yet");

    roleOf(false, true);
    expect(textOf(await press(answer, "Try again", manager))).not.toContain("is not notified");
    expect(desk.sent).toBe(0);
  });
});

describe("a role that was chosen before", () => {
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
    expect(textOf(await set(manager, { channel: elsewhere }))).toContain("Order alerts come to");

    roleOf(false, true);
    expect(textOf(await set(staff, { channel: elsewhere }))).toContain("is not notified yet");
    expect(desk.turnedOn.map((chosen) => chosen.roleId)).toEqual([undefined, roleId]);

    await press(await desk.run(alerts, "test", staff), "No role", staff);
    roleOf(false, false);
    expect(textOf(await set(staff, { channel: elsewhere }))).toContain("**Role:** none");
  });

  it("stays when anybody changes the statuses", async () => {
    roleOf(false, false);
    expect(textOf(await set(staff))).toContain("Order alerts come to");
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
      expect(textOf(await set(who, { channel: elsewhere }))).toContain("Order alerts come to");
  });

  it("cannot be put into reminders by a person who may not mention it there, and who may still end them", async () => {
    const remind = (who: Caller, options: object = { after: "30m" }) => desk.run(alerts, "remind", who, options);
    roleOf(false, false);
    expect(await codeOf(remind(staff))).toBe("role_not_theirs");
    expect(desk.reminders).toEqual([]);
    expect(textOf(await remind(staff, {}))).toContain("Reminders are off");
    expect(await codeOf(remind(staff, { quiet: "22-8" }))).toBe("reminders_off");
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

describe("a role that notifies nobody", () => {
  const silent = { isMentionable: false, rings: false, canMention: false };
  it.each([
    ["was deleted", () => fineChannel, "⚠️ The role that alerts mention was deleted, so nobody is notified."],
    ["may not be mentioned", () => ({ ...fineChannel, role: silent }), `⚠️ <@&${roleId}> is not notified yet`],
  ])("because it %s: /alerts status, /alerts test and /store status say so, too", async (_, look, said) => {
    desk.turnOnAlerts({ roleId });
    desk.look = look;
    for (const subcommand of ["status", "test"])
      expect(textOf(await desk.run(alerts, subcommand, manager))).toContain(said);
    expect(textOf(await desk.run(store, "status", manager))).toContain(said);
    expect(textOf(await set(manager))).toContain(said);
  });

  it("is not looked for where there is no role, or where Discord shows nothing", async () => {
    desk.turnOnAlerts();
    expect(textOf(await desk.run(alerts, "status", staff))).not.toContain("⚠️");
    desk.turnOnAlerts({ roleId });
    desk.look = () => "uncertain";
    expect(textOf(await desk.run(alerts, "status", staff))).toMatch(/^### ✅/);
  });

  it("is no problem of a channel that was deleted: /alerts status says that, also before a message fails", async () => {
    desk.turnOnAlerts({ roleId });
    desk.look = () => "channel_gone";
    const text = textOf(await desk.run(alerts, "status", staff));
    expect(text).toMatch(/^### ⚠️.+\n⚠️ That channel is gone, or the bot cannot see it\./s);
    expect(text).not.toContain("The role that");
  });

  it("and the channel are not called well if they were looked for too often", async () => {
    desk.turnOnAlerts({ roleId });
    desk.look = () => ({ ...fineChannel, missing: ["ViewChannel"] });
    const texts: string[] = [];
    for (let count = 0; count < 6; count += 1) texts.push(textOf(await desk.run(alerts, "status", staff)));
    expect(texts[4]).toContain("⚠️ In <#");
    expect(texts[5]).toMatch(/^### ⚠️.+\n⚠️ The bot got too many requests\. Try again in \d+ seconds\.$/s);
  });

  it("does not delay /alerts status while Discord is slow", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    desk.turnOnAlerts({ roleId });
    desk.look = () => new Promise(() => undefined);
    const shown = desk.run(alerts, "status", staff);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(textOf(await shown)).toMatch(/^### ✅/);
  });
});

describe("if Discord does not say who can read the channel", () => {
  beforeEach(() => {
    desk.look = () => "uncertain";
  });

  it("managers go on, and confirm if customers are shown", async () => {
    const question = await set(manager);
    // Before: "Everyone in this server can read".
    expect(textOf(question)).toContain("Everyone in this server may be able to read");
    expect(textOf(await confirm(question, manager))).toContain("Order alerts come to");
    desk.guild = { ...desk.guild, settings: { ...desk.guild.settings, privacy: "none" } };
    expect(textOf(await set(manager, { role: roleId }))).toContain("Order alerts come to");
  });

  it("managers read after `/store settings` that it is unknown (before: “Everyone in this server can read”)", async () => {
    desk.turnOnAlerts();
    const settings = await desk.run(store, "settings", manager, { privacy: "full" });
    expect(textOf(settings)).toContain(`⚠️ Discord did not say who can read <#${channelId}>`);
  });
});

describe("/alerts route", () => {
  beforeEach(() => desk.turnOnAlerts());
  const role = { isMentionable: false, rings: true, canMention: false };
  const route = (sub: string, who: Caller, options: object = {}) => desk.run(alerts, `route ${sub}`, who, options);
  const add = (who: Caller, options: object = {}) =>
    route("add", who, { name: "Keys", channel: elsewhere, ...options });
  const routes = () => desk.guild.routes ?? [];
  const names = () => routes().map(({ name }) => name);

  describe("customers in a rule's channel", () => {
    it.each([
      ["not everybody reads it", false, "staff", true, undefined],
      ["everybody reads it", true, "staff", undefined, /Alerts in <#\d+> leave out the customer/],
      [
        "it is a public line's, which never shows any",
        false,
        "feed",
        undefined,
        /Not everyone in this server can read/,
      ],
      ["it is a public line's, for everybody", true, "feed", undefined, undefined],
    ] as const)("%s", async (_, isPublic, style, shown, note) => {
      desk.look = () => ({ ...fineChannel, isPublic });
      const text = textOf(await add(manager, { style }));
      expect(routes()[0]?.showsCustomers).toBe(shown);
      if (note) expect(text).toMatch(note);
      else expect(text).not.toMatch(/leave out the customer|Not everyone/);
    });

    it("are not shown if Discord does not say who reads it", async () => {
      desk.look = () => "uncertain";
      expect(textOf(await add(manager))).toContain("leave out the customer");
      expect(routes()[0]?.showsCustomers).toBeUndefined();
    });

    it("are sent to another channel only by members with Manage Server, now or later", async () => {
      expect(textOf(await add(staff, { name: "Wins", style: "feed" }))).toContain("Rule **Wins** created.");
      expect(textOf(await add(staff, { name: "Here", channel: channelId }))).toContain("Rule **Here** created.");

      desk.guild = { ...desk.guild, settings: { ...desk.guild.settings, privacy: "none" } };
      expect(textOf(await add(staff, { name: "There" }))).not.toContain("customer");
      await add(manager, { name: "Managed" });
      const shown = Object.fromEntries(routes().map(({ name, showsCustomers }) => [name, showsCustomers]));
      expect(shown).toEqual({ Wins: undefined, Here: undefined, There: undefined, Managed: true });
    });
  });

  it("a rule that staff made in the alerts' channel shows customers only while alerts are in that channel, where members with Manage Server allowed it", async () => {
    const secret = { language: "en", privacy: "none" } as const;
    desk.guild = {
      ...desk.guild,
      alerts: { channelId: elsewhere, statuses: ["PENDING"], since: 0 },
      settings: secret,
    };
    await add(staff);
    const shown = () => destinationOf(desk.guild, routes()[0]?.id)?.showsCustomers;
    expect(shown()).toBe(true);

    desk.turnOnAlerts();
    expect(shown()).toBe(false);
  });

  describe("a rule's channel and role", () => {
    it("are ones that the bot can use: missing permissions are named", async () => {
      desk.look = () => ({ ...fineChannel, missing: ["SendMessages"] });
      await expect(add(manager)).rejects.toMatchObject({
        problem: { code: "forbidden", missing: ["SendMessages"] },
      });
      expect(routes()).toEqual([]);
      desk.look = () => ({ ...fineChannel, missing: ["EmbedLinks"], role: { ...role, rings: false } });
      const text = textOf(await add(manager, { role: roleId }));
      expect(text).toContain("Embed Links");
      expect(text).toContain(`<@&${roleId}>`);
      expect(routes()).toMatchObject([{ roleId }]);
    });

    it("are never everyone", async () => {
      expect(textOf(await add(manager, { role: guildId }))).toContain("never mentions @everyone");
      expect(routes()[0]?.roleId).toBeUndefined();
    });
  });

  describe("the rules of a server", () => {
    beforeEach(async () => {
      for (const name of ["One", "Two", "Three"]) await add(manager, { name });
    });

    it("have the position they were moved to, the last one at most", async () => {
      await route("move", manager, { name: "ＴＨＲＥＥ ", position: 1 });
      expect(names()).toEqual(["Three", "One", "Two"]);
      expect(textOf(await route("move", manager, { name: "three", position: 25 }))).toContain("number 3 of 3");
      expect(names()).toEqual(["One", "Two", "Three"]);
      await route("move", manager, { name: "One", position: 2 });
      expect(names()).toEqual(["Two", "One", "Three"]);
    });

    it("are changed as they are at that moment, also after other changes", async () => {
      await Promise.all([
        route("remove", manager, { name: "One" }),
        route("move", manager, { name: "Three", position: 1 }),
      ]);
      expect(names()).toEqual(["Three", "Two"]);
      expect(await codeOf(route("move", manager, { name: "One", position: 1 }))).toBe("bad_route");
    });

    it("are 25 at most, and wait for 5 statuses", async () => {
      for (let index = 0; index < 5; index += 1) await add(manager, { name: `s${index}`, status: `S${index}` });
      await expect(add(manager, { name: "s6", status: "S6" })).rejects.toMatchObject({ problem: { why: "statuses" } });
      await add(manager, { name: "s6", status: "s4" });
      for (let index = routes().length; index < 25; index += 1) await add(manager, { name: `n${index}` });
      await expect(add(manager, { name: "more" })).rejects.toMatchObject({ problem: { why: "full" } });
      expect(routes()).toHaveLength(25);
      expect(new Set(routes().map(({ id }) => id)).size).toBe(25);
    });
  });
});
