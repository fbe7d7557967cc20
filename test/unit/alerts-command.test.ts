import { PermissionFlagsBits } from "@discordjs/core";
import { beforeEach, describe, expect, it } from "vitest";
import { alerts } from "../../commands/alerts.ts";
import { store } from "../../commands/store/store.ts";
import { MessengerError, type MessengerFailure } from "../../src/alerts/messenger.ts";
import type { ChosenAlerts } from "../../src/alerts/turn-on.ts";
import { createBudget } from "../../src/basics/budget.ts";
import { budgets } from "../../src/basics/budgets.ts";
import { createAttempts } from "../../src/discord/attempts.ts";
import type { Caller } from "../../src/discord/caller.ts";
import { type ChannelLook, ClosedChannelError, type LookAt } from "../../src/discord/channel-look.ts";
import type { Guild } from "../../src/guilds/guild.ts";
import type { Services } from "../../src/services.ts";
import type { MessagePayload } from "../../src/views/payload.ts";
import { messageOf, pressJob, typedJob } from "../support/command-jobs.ts";
import { buttonOf, textOf } from "../support/views-support.ts";
import { codeOf } from "./add-product-support.ts";

const guildId = "100000000000000001";
const channel = "100000000000000002";
const role = "100000000000000003";
const staff: Caller = {
  guildId,
  channelId: channel,
  userId: "100000000000000004",
  roleIds: [],
  permissions: PermissionFlagsBits.ViewChannel | PermissionFlagsBits.MentionEveryone,
  locale: "en",
};
const manager = { ...staff, permissions: PermissionFlagsBits.ManageGuild };
const administrator = { ...staff, permissions: PermissionFlagsBits.Administrator };
const colleague = (index: number): Caller => ({ ...staff, userId: `2000000000000${10_000 + index}` });
const readers: ChannelLook = { isOwn: true, isText: true, missing: [], isPublic: false, isTheirs: true };

/** The buttons of a question that was asked before. */
const question = [{ type: 1, components: [{ type: 2, label: "Confirm", custom_id: "alerts:set:AbCdEfGhIjKl" }] }];

let guild: Guild;
let look: () => ChannelLook | MessengerFailure | MessengerError;
/** What the announcement in the channel came to. */
let announcement: MessengerFailure | undefined;
let looks: number;
let sent: number;
let turnedOn: ChosenAlerts[];
/** Whether each sample mentions the role. */
let samples: boolean[];
let kept: ChosenAlerts | undefined;
let clock: number;
let services: Services;

const refusedWith = (code: MessengerFailure | undefined) => {
  if (code !== undefined) throw new MessengerError(code);
};

beforeEach(() => {
  guild = { id: guildId, settings: { language: "en", privacy: "masked" } };
  look = () => readers;
  announcement = undefined;
  looks = 0;
  sent = 0;
  turnedOn = [];
  samples = [];
  kept = undefined;
  clock = 0;
  const fake = {
    guilds: {
      get: async () => guild,
      update: async (_: string, change: (before: Guild) => Guild) => {
        guild = change(guild);
        return guild;
      },
    },
    connected: async () => ({ guild, store: {} }),
    alerts: {
      async turnOn(_: string, __: unknown, chosen: ChosenAlerts) {
        sent += 1;
        refusedWith(announcement);
        turnedOn.push(chosen);
        const { channelId, roleId = guild.alerts?.roleId, statuses = guild.alerts?.statuses ?? ["PENDING"] } = chosen;
        const rings = roleId === guildId ? undefined : roleId;
        guild = { ...guild, alerts: { channelId, roleId: rings, statuses: [...statuses], since: 0 } };
        return { pending: 0, complete: true, isNew: true };
      },
      async test(_: Guild, { mentions }: { mentions: boolean }) {
        sent += 1;
        refusedWith(announcement);
        samples.push(mentions);
      },
    },
    async lookAt({ roleId }: LookAt) {
      looks += 1;
      const seen = look();
      if (typeof seen === "string") throw new MessengerError(seen);
      if (seen instanceof MessengerError) throw seen;
      return roleId === undefined ? { ...seen, role: undefined } : seen;
    },
    unconfirmed: {
      async keep(_: unknown, chosen: ChosenAlerts) {
        kept = chosen;
        return "AbCdEfGhIjKl";
      },
      take: async () => kept,
      find: async () => kept,
    },
    attempts: createAttempts({
      ofPerson: createBudget(budgets.refusedAttempts.ofPerson, () => clock),
      ofServer: createBudget(budgets.refusedAttempts.ofServer, () => clock),
      ofManagers: createBudget(budgets.refusedAttempts.ofManagers, () => clock),
    }),
  };
  services = fake as unknown as Services;
});

const run = (command: typeof alerts, subcommand: string, who: Caller, options: object = {}): Promise<MessagePayload> =>
  messageOf(typedJob(command, subcommand, who, options), services);
const set = (who: Caller, options: object = {}) => run(alerts, "set", who, { channel, ...options });
const press = (shown: MessagePayload, label: string, who: Caller) =>
  messageOf(pressJob(alerts, buttonOf(shown, label)?.custom_id ?? "", who), services);
const confirm = (shown: MessagePayload, who: Caller) => press(shown, "Confirm", who);

describe("a channel that everybody can read, where customers are shown", () => {
  beforeEach(() => {
    look = () => ({ ...readers, isPublic: true });
  });

  it("is for those with Manage Server, who are asked (0.1.0: staff chose it as well)", async () => {
    expect(await codeOf(set(staff))).toBe("public_not_theirs");
    expect(turnedOn).toEqual([]);
    for (const who of [manager, administrator]) {
      const question = await set(who);
      expect(textOf(question)).toContain("Go on?");
      expect(textOf(await confirm(question, who))).toContain("New orders are announced");
    }
    expect(turnedOn).toHaveLength(2);
  });

  it("is not chosen by staff either where not everybody reads: members with some common role may", async () => {
    look = () => ({ ...readers, isPublic: false });
    expect(await codeOf(set(staff))).toBe("customers_not_theirs");
    expect(textOf(await set(manager))).toContain("New orders are announced");
    guild = { ...guild, alerts: { channelId: channel, statuses: ["PENDING"], since: 0 } };
    expect(textOf(await set(staff))).toContain("New orders are announced");
  });

  it("is not confirmed by whoever has lost Manage Server meanwhile", async () => {
    expect(await codeOf(confirm(await set(manager), staff))).toBe("public_not_theirs");
    expect(turnedOn).toEqual([]);
  });

  it("is for staff where customers are not shown", async () => {
    guild = { ...guild, settings: { ...guild.settings, privacy: "none" } };
    expect(textOf(await set(staff))).toContain("Everyone in this server can read");
  });

  it("does not come to show them through the privacy setting either", async () => {
    const at = { channelId: channel, statuses: ["PENDING"], since: 0 };
    guild = { ...guild, alerts: at, settings: { language: "en", privacy: "masked" } };
    expect(await codeOf(run(store, "settings", staff, { privacy: "full" }))).toBe("public_not_theirs");
    expect(guild.settings.privacy).toBe("masked");
    expect(textOf(await run(store, "settings", staff, { privacy: "none" }))).toContain("not shown");
    look = () => "uncertain";
    expect(await codeOf(run(store, "settings", staff, { privacy: "masked" }))).toBe("discord_silent");
    expect(guild.settings.privacy).toBe("none");
    look = () => ({ ...readers, isPublic: true });
    expect(textOf(await run(store, "settings", manager, { privacy: "full" }))).toContain("Everyone in this server");
    look = () => readers;
    expect(textOf(await run(store, "settings", staff, { privacy: "full" }))).not.toContain("Everyone");
  });
});

describe("a role to mention", () => {
  const roleOf = (isMentionable: boolean, isTheirs: boolean, rings = isMentionable) => {
    look = () => ({ ...readers, role: { isMentionable, isTheirs, rings } });
  };

  it("is one that they may mention themselves in that channel (0.1.0: any role)", async () => {
    roleOf(false, false);
    expect(await codeOf(set(staff, { role }))).toBe("role_not_theirs");
    expect(turnedOn).toEqual([]);
    const silent =
      "<@&100000000000000003> is not notified yet: in the role's settings, let anyone mention it, or give the bot **Mention @everyone, @here, and All Roles** in that channel.";
    expect(textOf(await set(manager, { role }))).toContain(silent);
    roleOf(false, true);
    expect(textOf(await set(staff, { role }))).toContain(silent);
    roleOf(false, true, true);
    expect(textOf(await set(staff, { role }))).not.toContain("is not notified");
    roleOf(true, false);
    expect(textOf(await set(staff, { role }))).not.toContain("is not notified");
    expect(turnedOn.map(({ roleId }) => roleId)).toEqual([role, role, role, role]);
  });

  it("is not taken away by @everyone, and what is set is said (0.1.0: it was, silently)", async () => {
    guild = { ...guild, alerts: { channelId: channel, roleId: role, statuses: ["PENDING", "PAID"], since: 0 } };
    roleOf(true, false);
    const answer = await set(staff, { role: guildId });
    expect(textOf(answer)).toContain("Alerts cannot mention @everyone, so the role stays as it was.");
    expect(textOf(answer)).toContain(`**Role:** <@&${role}>\n**Alerts for:** Pending, Paid`);
    expect(turnedOn[0]?.roleId).toBe(role);
    expect(textOf(await press(answer, "No role", staff))).toContain("Alerts mention no role now.\n**Role:** none");
    expect(guild.alerts).toEqual({ channelId: channel, statuses: ["PENDING", "PAID"], since: 0 });
  });

  it("that does not ring yet is looked at again, and nothing is posted for that", async () => {
    guild = { ...guild, alerts: { channelId: channel, roleId: role, statuses: ["PENDING"], since: 0 } };
    roleOf(false, false, false);
    const answer = await set(manager, { role });
    sent = 0;
    expect(textOf(await press(answer, "Try again", manager))).toContain("is not notified yet");
    roleOf(false, false, true);
    expect(textOf(await press(answer, "Try again", manager))).not.toContain("is not notified");
    expect(sent).toBe(0);
  });
});

describe("what the bot lacks in the channel", () => {
  it("is named where alerts ring without it, and Try again looks again", async () => {
    look = () => ({ ...readers, missing: ["EmbedLinks", "ReadMessageHistory"] });
    const answer = await set(manager);
    expect(textOf(answer)).toContain("New orders are announced");
    expect(textOf(answer)).toContain("**Embed Links**, **Read Message History**");
    look = () => readers;
    expect(textOf(await press(answer, "Try again", manager))).not.toContain("Embed Links");
    expect(turnedOn).toHaveLength(1);
  });

  it("is named in the words of Discord's settings, nothing is posted, and Try again goes on (0.1.0: two names, always)", async () => {
    for (const [locale, names, again] of [
      ["en", "**Send Messages**, **Embed Links**", "Try again"],
      ["pt-BR", "**Enviar mensagens**, **Inserir links**", "Tentar de novo"],
      ["es", "**Enviar mensajes**, **Insertar enlaces**", "Intentar de nuevo"],
    ] as const) {
      look = () => ({ ...readers, missing: ["SendMessages", "EmbedLinks"] });
      const answer = await set({ ...manager, locale });
      expect(textOf(answer)).toContain(names);
      expect(sent).toBe(0);
      look = () => readers;
      await press(answer, again, { ...manager, locale });
      expect(turnedOn.pop()).toEqual({ channelId: channel });
      sent = 0;
    }
  });

  it("is found before a sample is posted, too", async () => {
    guild = { ...guild, alerts: { channelId: channel, statuses: ["PENDING"], since: 0 } };
    look = () => ({ ...readers, missing: ["SendMessages"] });
    const answer = await run(alerts, "test", manager);
    expect(textOf(answer)).toContain("**Send Messages**");
    expect(sent).toBe(0);
    look = () => readers;
    expect(textOf(await press(answer, "Try again", manager))).toContain("Sample alert posted in");
    expect(sent).toBe(1);
  });

  it("is named where the bot does not see the channel, which counts as refused", async () => {
    const closed = { ...readers, missing: ["ViewChannel", "EmbedLinks"] as const };
    look = () => new ClosedChannelError(closed, undefined);
    const { burst } = budgets.refusedAttempts.ofPerson;
    for (let count = 0; count < burst; count += 1) {
      expect(textOf(await set(manager))).toContain("**View Channel**, **Embed Links**");
    }
    expect(await codeOf(set(manager))).toBe("cooldown");
    expect([looks, sent]).toEqual([burst, 0]);
  });
});

describe("a role that was chosen before", () => {
  const elsewhere = "100000000000000005";
  const roleOf = (isMentionable: boolean, isTheirs: boolean) => {
    look = () => ({ ...readers, role: { isMentionable, isTheirs, rings: isMentionable } });
  };
  beforeEach(() => {
    guild = { ...guild, alerts: { channelId: channel, roleId: role, statuses: ["PENDING"], since: 0 } };
  });

  it("goes along to another channel only with somebody who may mention it there (0.1.0: with anybody)", async () => {
    roleOf(false, false);
    expect(await codeOf(set(staff, { channel: elsewhere }))).toBe("role_not_theirs");
    expect(turnedOn).toEqual([]);
    // @everyone, which takes no role away, is no way around that; the button is.
    expect(await codeOf(set(staff, { channel: elsewhere, role: guildId }))).toBe("role_not_theirs");
    expect(textOf(await set(manager, { channel: elsewhere }))).toContain("New orders are announced");
    roleOf(false, true);
    expect(textOf(await set(staff, { channel: elsewhere }))).toContain("is not notified yet");
    expect(turnedOn.map(({ roleId }) => roleId)).toEqual([undefined, role]);
    await press(await run(alerts, "test", staff), "No role", staff);
    roleOf(false, false);
    expect(textOf(await set(staff, { channel: elsewhere }))).toContain("**Role:** none");
  });

  it("stays where it is, whoever changes the statuses", async () => {
    roleOf(false, false);
    expect(textOf(await set(staff))).toContain("New orders are announced");
    expect(turnedOn).toMatchObject([{ roleId: role }]);
  });

  it("is not carried away by whoever was looked at before another chose it", async () => {
    guild = { ...guild, alerts: undefined, settings: { ...guild.settings, privacy: "none" } };
    const asked = set(staff, { channel: elsewhere });
    guild = { ...guild, alerts: { channelId: channel, roleId: role, statuses: ["PENDING"], since: 0 } };
    await asked;
    expect(turnedOn).toMatchObject([{ roleId: guildId }]);
  });

  it("that is gone keeps nobody from another channel", async () => {
    look = () => readers;
    guild = { ...guild, settings: { ...guild.settings, privacy: "none" } };
    for (const who of [staff, manager])
      expect(textOf(await set(who, { channel: elsewhere }))).toContain("New orders are announced");
  });

  it("is mentioned in a sample only for somebody who may mention it there (0.1.0: for anybody)", async () => {
    roleOf(false, false);
    expect(textOf(await run(alerts, "test", staff))).toContain(`<@&${role}> was not mentioned`);
    expect(textOf(await run(alerts, "test", manager))).not.toContain("was not mentioned");
    roleOf(true, false);
    expect(textOf(await run(alerts, "test", staff))).not.toContain("was not mentioned");
    roleOf(false, true);
    await run(alerts, "test", staff);
    look = () => readers;
    await run(alerts, "test", staff);
    expect(samples).toEqual([false, true, true, true, false]);
  });
});

it("a channel in which they may not write themselves is not for staff to choose (0.1.0: it was)", async () => {
  look = () => ({ ...readers, isTheirs: false });
  expect(await codeOf(set(staff))).toBe("channel_not_theirs");
  expect(sent).toBe(0);
  expect(textOf(await set(manager))).toContain("New orders are announced");
});

describe("what is not the server's own", () => {
  it.each([
    ["a channel", { ...readers, isOwn: false }, {}, "foreign_channel"],
    ["a role", readers, { role }, "foreign_role"],
  ])("%s is refused (0.1.0: not compared)", async (_, seen, options, code) => {
    look = () => seen;
    for (const who of [staff, manager]) expect(await codeOf(set(who, options))).toBe(code);
    expect(sent).toBe(0);
  });
});

describe("where Discord does not say who can read the channel", () => {
  beforeEach(() => {
    look = () => "uncertain";
  });

  it("managers go on, and confirm where customers are shown", async () => {
    expect(textOf(await confirm(await set(manager), manager))).toContain("New orders are announced");
    guild = { ...guild, settings: { ...guild.settings, privacy: "none" } };
    expect(textOf(await set(manager, { role }))).toContain("New orders are announced");
  });

  it("others are told to try again", async () => {
    expect(await codeOf(set(staff))).toBe("discord_silent");
    guild = { ...guild, settings: { ...guild.settings, privacy: "none" } };
    expect(await codeOf(set(staff))).toBe("discord_silent");
    expect(sent).toBe(0);
  });
});

describe("what Discord refuses", () => {
  it.each(["forbidden", "channel_gone"] as const)(
    "is told from the look alone: no message follows (%s; 0.1.0: two requests were refused)",
    async (code) => {
      look = () => code;
      for (const who of [staff, manager]) expect(await codeOf(set(who))).toBe(code);
      expect([looks, sent]).toEqual([2, 0]);
    },
  );

  it.each([
    ["/alerts set, the channel hidden", () => set(manager)],
    ["/alerts set, the channel seen but closed", () => set(manager)],
    ["/alerts test", () => run(alerts, "test", manager)],
    ["Confirm", () => confirm({ components: question } as unknown as MessagePayload, manager)],
  ])("a thousand times within 10 minutes is 10 requests at most (%s; 0.1.0: one each, or two)", async (what, ask) => {
    guild = { ...guild, alerts: { channelId: channel, statuses: ["PENDING"], since: 0 } };
    announcement = "forbidden";
    look = () => (what.includes("hidden") ? "forbidden" : readers);
    kept = { channelId: channel };
    const codes = new Map<unknown, number>();
    for (let count = 0; count < 1_000; count += 10) {
      const asked = await Promise.all(Array.from({ length: 10 }, () => codeOf(ask())));
      for (const code of asked) codes.set(code, (codes.get(code) ?? 0) + 1);
      clock += 6_000;
    }
    expect(codes).toEqual(
      new Map([
        ["forbidden", 9],
        ["cooldown", 991],
      ]),
    );
    expect(sent + (what.includes("hidden") ? looks : 0)).toBe(9);
  });

  it("from many people at once is what their server may, and does not hold its managers", async () => {
    look = () => "forbidden";
    const { ofPerson, ofServer } = budgets.refusedAttempts;
    for (let count = 0; count < 20; count += 1) await codeOf(set(staff));
    expect(looks).toBe(ofPerson.burst);
    for (let index = 0; index < 50; index += 1) await codeOf(set(colleague(index)));
    expect(looks).toBe(ofServer.burst);
    look = () => readers;
    expect(await codeOf(set(colleague(51)))).toBe("cooldown");
    expect(textOf(await set({ ...colleague(52), permissions: PermissionFlagsBits.ManageGuild }))).toContain(
      "New orders are announced",
    );
  });

  it("costs somebody who was held by their server nothing of their own", async () => {
    look = () => "forbidden";
    for (let index = 0; index < 20; index += 1) await codeOf(set(colleague(index)));
    for (let count = 0; count < 20; count += 1) await codeOf(set(staff));
    clock += 5 * 60_000;
    looks = 0;
    for (let count = 0; count < 20; count += 1) await codeOf(set(staff));
    expect(looks).toBe(5);
  });

  it("says in how many seconds the next attempt may be made, and leaves another server alone", async () => {
    look = () => "forbidden";
    for (let count = 0; count < 5; count += 1) await codeOf(set(manager));
    clock = 15_000;
    await expect(set(manager)).rejects.toMatchObject({ problem: { code: "cooldown", seconds: 105 } });
    expect(looks).toBe(5);
    expect(await codeOf(set({ ...manager, guildId: "100000000000000009" }))).toBe("forbidden");
  });

  it("counts no attempt that went well, or failed for another reason", async () => {
    for (let count = 0; count < 50; count += 1) await set(manager);
    look = () => "uncertain";
    for (let count = 0; count < 50; count += 1) await codeOf(set(staff));
    look = () => readers;
    expect(textOf(await set(manager))).toContain("New orders are announced");
  });
});
