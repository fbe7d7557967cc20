import { beforeEach, describe, expect, it } from "vitest";
import { alerts } from "../../commands/alerts/alerts.ts";
import type { Caller } from "../../src/discord/commands/caller.ts";
import { destinationOf } from "../../src/outbox/destination.ts";
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

const elsewhere = "100000000000000009";
const role = { isMentionable: false, rings: true, canMention: false };

let desk: AlertDesk;
beforeEach(() => {
  desk = createAlertDesk();
  desk.turnOnAlerts();
});

const run = (sub: string, who: Caller, options: object = {}) => desk.run(alerts, `route ${sub}`, who, options);
const add = (who: Caller, options: object = {}) => run("add", who, { name: "Keys", channel: elsewhere, ...options });
const routes = () => desk.guild.routes ?? [];
const names = () => routes().map(({ name }) => name);

describe("customers in a rule's channel", () => {
  it.each([
    ["not everybody reads it", false, "staff", true, undefined],
    ["everybody reads it", true, "staff", undefined, /Alerts in <#\d+> leave out the customer/],
    ["it is a public line's, which never shows any", false, "feed", undefined, /Not everyone in this server can read/],
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

describe("a rule that staff made in the alerts' channel", () => {
  it("shows customers only while alerts are in that channel, where members with Manage Server allowed it", async () => {
    const secret = { language: "en", privacy: "none" } as const;
    desk.guild = { ...desk.guild, alerts: { channelId: elsewhere, statuses: ["PENDING"], since: 0 }, settings: secret };
    await add(staff);
    const shown = () => destinationOf(desk.guild, routes()[0]?.id)?.showsCustomers;
    expect(shown()).toBe(true);

    desk.turnOnAlerts();
    expect(shown()).toBe(false);
  });
});

describe("a rule's channel and role", () => {
  it("are ones that the bot can use: missing permissions are named", async () => {
    desk.look = () => ({ ...fineChannel, missing: ["SendMessages"] });
    await expect(add(manager)).rejects.toMatchObject({
      problem: { code: "forbidden", permissions: ["Send Messages"] },
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
    await run("move", manager, { name: "ＴＨＲＥＥ ", position: 1 });
    expect(names()).toEqual(["Three", "One", "Two"]);
    expect(textOf(await run("move", manager, { name: "three", position: 25 }))).toContain("number 3 of 3");
    expect(names()).toEqual(["One", "Two", "Three"]);
    await run("move", manager, { name: "One", position: 2 });
    expect(names()).toEqual(["Two", "One", "Three"]);
  });

  it("are changed as they are at that moment, also after other changes", async () => {
    await Promise.all([run("remove", manager, { name: "One" }), run("move", manager, { name: "Three", position: 1 })]);
    expect(names()).toEqual(["Three", "Two"]);
    expect(await codeOf(run("move", manager, { name: "One", position: 1 }))).toBe("bad_route");
  });

  it("are recorded with the person who changed them", async () => {
    await run("move", manager, { name: "two", position: 1 });
    await run("remove", manager, { name: "ONE" });
    await codeOf(run("remove", manager, { name: "One" }));
    expect(desk.noted.slice(3)).toEqual([
      { did: "route_moved", what: "Two" },
      { did: "route_removed", what: "One" },
    ]);
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
