import { PermissionFlagsBits } from "@discordjs/core";
import { describe, expect, it } from "vitest";
import { alerts } from "../../../commands/alerts/alerts.ts";
import { budgets } from "../../../src/basics/limits/budgets.ts";
import type { Caller } from "../../../src/discord/commands/caller.ts";
import type { Rule } from "../../../src/guilds/rule.ts";
import { orderSchema } from "../../../src/store-api/schemas.ts";
import type { MessagePayload } from "../../../src/views/parts/payload.ts";
import { codeOf } from "../../support/code-of.ts";
import { channelId, createAlertDesk, fineChannel, manager, staff } from "../../support/engine/alert-desk.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { textOf } from "../../support/views-support.ts";

const colleague = (index: number): Caller => ({ ...staff, userId: `2000000000000${10_000 + index}` });

const desk = useFixture(() => createAlertDesk());

const set = (who: Caller) => desk.run(alerts, "set", who, { channel: channelId });
const press = (shown: MessagePayload, label: string, who: Caller) => desk.press(alerts, shown, label, who);

it("/alerts off counts the orders that get no alert any more, and names the settings that are gone", async () => {
  desk.turnOnAlerts({ roleId: "222222222222222222", statuses: ["PAID"] });
  const answer = textOf(await desk.run(alerts, "off", manager));
  expect(answer).toContain("3 orders were waiting to be posted. They get no alert");
  expect(answer).toContain("**Role:** <@&222222222222222222>\n**Alerts for:** Paid");
});

it("/alerts route add warns about a status that neither the bot nor the newest orders know", async () => {
  desk.turnOnAlerts();
  const add = async (status: string) =>
    textOf(await desk.run(alerts, "route add", manager, { channel: channelId, name: status, status }));
  expect(await add("PAYD")).toContain("The bot does not know the status `PAYD`");
  expect(await add("paid")).not.toContain("does not know");
});

it("/alerts remind takes no time zone without quiet hours (before: forgot it without a word)", async () => {
  desk.turnOnAlerts();
  desk.guild = { ...desk.guild, remind: { afterMs: 60_000 } };
  const remind = (options: object) => desk.run(alerts, "remind", manager, { timezone: "Europe/Lisbon", ...options });
  expect(await codeOf(remind({}))).toBe("bad_reminder");
  expect(await codeOf(remind({ after: "30m", quiet: "off" }))).toBe("bad_reminder");
  expect(textOf(await remind({ quiet: "22-8" }))).toContain("No reminders from 22:00 to 08:00 (Europe/Lisbon).");
  desk.guild = { ...desk.guild, remind: desk.reminders[0] };
  expect(textOf(await remind({ timezone: "Asia/Tokyo" }))).toContain("(Asia/Tokyo)");
});

it("/alerts remind keeps what another person changes at the same moment (before: the later one undid it)", async () => {
  desk.turnOnAlerts();
  desk.guild = { ...desk.guild, remind: { afterMs: 60_000 } };
  desk.meanwhile = () => {
    desk.guild = { ...desk.guild, remind: { afterMs: 3_600_000 } };
  };
  const text = textOf(await desk.run(alerts, "remind", manager, { quiet: "22-8" }));
  expect(desk.reminders).toEqual([{ afterMs: 3_600_000, quiet: expect.objectContaining({ from: 22, to: 8 }) }]);
  expect(text).toContain("1 hour");
});

it("/alerts route test names the rule that posts an order whose status is not announced (before: one for new orders)", async () => {
  const order = orderSchema.parse({ id: "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab", status: "PAID" });
  const withStore = createAlertDesk({
    connected: async () => ({ guild: withStore.guild, store: { getOrder: async () => order }, view: { locale: "en" } }),
  });
  withStore.turnOnAlerts();
  const rule = (id: string, more: Partial<Rule>): Rule => ({ id, name: id, channelId: id, style: "staff", ...more });
  const tested = async (...routes: Rule[]) => {
    withStore.guild = { ...withStore.guild, routes };
    return textOf(await withStore.run(alerts, "route test", manager, { order: order.id }));
  };
  const [ofNew, publicOfNew, ofPaid] = [rule("1", {}), rule("2", { style: "feed" }), rule("3", { status: "PAID" })];
  const both = await tested(ofNew, publicOfNew, ofPaid);
  expect(both).toContain("The alert goes to <#3>");
  expect(both).toContain("Public lines: none.");
  expect(both).not.toContain("not announced");
  expect(await tested(ofNew)).toMatch(/The alert goes to <#1>.*\n.*\nBut orders that arrive .* are not announced/);
});

describe("missing permissions in the channel", () => {
  it("are named as in Discord's settings, nothing is posted, and Try again goes on (0.1.0: two names, always)", async () => {
    for (const [locale, names, again] of [
      ["en", "**Send Messages**, **Embed Links**", "Try again"],
      ["pt-BR", "**Enviar mensagens**, **Inserir links**", "Tentar de novo"],
      ["es", "**Enviar mensajes**, **Insertar enlaces**", "Intentar de nuevo"],
    ] as const) {
      desk.look = () => ({ ...fineChannel, missing: ["SendMessages", "EmbedLinks"] });
      const answer = await set({ ...manager, locale });
      expect(textOf(answer)).toContain(names);
      expect(desk.sent).toBe(0);
      desk.look = () => fineChannel;
      await press(answer, again, { ...manager, locale });
      expect(desk.turnedOn.pop()).toEqual({ channelId });
      desk.sent = 0;
    }
  });

  it("are also found before a sample is posted", async () => {
    desk.turnOnAlerts();
    desk.look = () => ({ ...fineChannel, missing: ["SendMessages"] });
    const answer = await desk.run(alerts, "test", manager);
    expect(textOf(answer)).toContain("**Send Messages**");
    expect(desk.sent).toBe(0);

    desk.look = () => fineChannel;
    expect(textOf(await press(answer, "Try again", manager))).toContain("Sample alert posted in");
    expect(desk.sent).toBe(1);
  });

  it("are named if the bot does not see the channel, which counts as refused", async () => {
    desk.look = () => ({ ...fineChannel, missing: ["ViewChannel", "EmbedLinks"] });
    const { burst } = budgets.refusedAttempts.ofPerson;

    for (let count = 0; count < burst; count += 1) {
      expect(textOf(await set(manager))).toContain("**View Channel**, **Embed Links**");
    }
    expect(await codeOf(set(manager))).toBe("cooldown");
    expect([desk.looks, desk.sent]).toEqual([burst, 0]);
  });
});

describe("Discord's refusals of commands about alerts", () => {
  it.each([
    ["/alerts set, the channel hidden", () => set(manager)],
    ["/alerts set, the channel seen but closed", () => set(manager)],
    ["/alerts test", () => desk.run(alerts, "test", manager)],
  ])("two hundred times within 10 minutes is 10 requests at most (%s; 0.1.0: one each, or two)", async (what, ask) => {
    desk.turnOnAlerts();
    desk.announcement = "forbidden";
    desk.look = () => (what.includes("hidden") ? "forbidden" : fineChannel);
    const codes = new Map<unknown, number>();
    for (let count = 0; count < 200; count += 10) {
      const asked = await Promise.all(Array.from({ length: 10 }, () => codeOf(ask())));
      for (const code of asked) codes.set(code, (codes.get(code) ?? 0) + 1);
      desk.clock += 30_000;
    }

    expect(codes).toEqual(
      new Map([
        ["forbidden", 9],
        ["cooldown", 191],
      ]),
    );
    expect(desk.sent + (what.includes("hidden") ? desk.looks : 0)).toBe(9);
  });

  it("from many people at once are as many as their server may cause, and do not block its managers", async () => {
    desk.look = () => "forbidden";
    const { ofPerson, ofServer } = budgets.refusedAttempts;
    for (let count = 0; count < 20; count += 1) await codeOf(set(staff));
    expect(desk.looks).toBe(ofPerson.burst);

    for (let index = 0; index < 50; index += 1) await codeOf(set(colleague(index)));
    expect(desk.looks).toBe(ofServer.burst);

    desk.look = () => fineChannel;
    expect(await codeOf(set(colleague(51)))).toBe("cooldown");
    expect(textOf(await set({ ...colleague(52), permissions: PermissionFlagsBits.ManageGuild }))).toContain(
      "Order alerts come to",
    );
  });

  it("cost a person who was blocked by their server nothing of their own budget", async () => {
    desk.look = () => "forbidden";
    for (let index = 0; index < 20; index += 1) await codeOf(set(colleague(index)));
    for (let count = 0; count < 20; count += 1) await codeOf(set(staff));
    desk.clock += 5 * 60_000;
    desk.looks = 0;
    for (let count = 0; count < 20; count += 1) await codeOf(set(staff));

    expect(desk.looks).toBe(5);
  });

  it("block with the seconds to wait, and do not affect another server", async () => {
    desk.look = () => "forbidden";
    for (let count = 0; count < 5; count += 1) await codeOf(set(manager));
    desk.clock = 15_000;

    await expect(set(manager)).rejects.toMatchObject({ problem: { code: "cooldown", seconds: 105 } });
    expect(desk.looks).toBe(5);
    expect(await codeOf(set({ ...manager, guildId: "100000000000000009" }))).toBe("forbidden");
  });

  it("do not include looks at a channel that is gone, so its owner can choose another one (before: five were too many)", async () => {
    desk.turnOnAlerts();
    desk.look = () => "channel_gone";
    for (let count = 0; count < 10; count += 1) await desk.run(alerts, "status", manager);
    desk.look = () => fineChannel;
    expect(textOf(await set(manager))).toContain("Order alerts come to");
  });

  it("do not include attempts that succeeded, or failed for another reason", async () => {
    for (let count = 0; count < 50; count += 1) await set(manager);
    desk.look = () => "uncertain";
    for (let count = 0; count < 50; count += 1) await codeOf(set(staff));
    desk.look = () => fineChannel;

    expect(textOf(await set(manager))).toContain("Order alerts come to");
  });
});
