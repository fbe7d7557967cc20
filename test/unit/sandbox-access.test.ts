import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { merged } from "../sandbox/discord/access.ts";
import type { GuildModel, PretendDiscord } from "../sandbox/discord/discord.ts";
import { type Bench, setUp } from "./sandbox-discord-bench.ts";

type Override = Parameters<typeof merged>[0][number];

let bench: Bench;
let discord: PretendDiscord;
let guild: GuildModel;

beforeEach(async () => {
  bench = await setUp();
  discord = bench.discord;
  guild = discord.addGuild({
    roles: [{ name: "Helper" }, { name: "Guest" }],
    people: [{ name: "owner" }, { name: "helper", roles: ["Helper", "Guest"] }, { name: "member" }],
  });
  await bench.publish();
});

afterEach(() => bench.tearDown());

const role = (id: string, permission: boolean): Override => ({ type: 1, id, permission });
const user = (id: string, permission: boolean): Override => ({ type: 2, id, permission });
const channel = (id: string, permission: boolean): Override => ({ type: 3, id, permission });

/** Who is offered the command in #staff. */
function offeredTo(application: readonly Override[], command: readonly Override[]): string[] {
  discord.setCommandPermissions(guild.id, discord.applicationId, application);
  discord.setCommandPermissions(guild.id, discord.commands()[0]?.id ?? "", command);
  return ["owner", "helper", "member"].filter(
    (name) => discord.offered(guild.person(name), guild.id, guild.channel("staff")).length > 0,
  );
}

it("an entry of the command takes the place of the application's for the same one, and of no other", () => {
  const application = [role("1", true), user("1", true), channel("1", false), role("2", false)];
  expect(merged(application, [role("1", false), user("3", true)])).toEqual([
    user("1", true),
    channel("1", false),
    role("2", false),
    role("1", false),
    user("3", true),
  ]);
  expect(merged(application, [])).toEqual(application);
});

describe("with settings of the application and of a command", () => {
  it("what the application refuses stays refused beside other entries of the command (0.1.0: was forgotten)", () => {
    const everyone = role(guild.id, true);
    const helper = guild.role("Helper");

    expect(offeredTo([], [everyone])).toEqual(["owner", "helper", "member"]);
    expect(offeredTo([role(helper, false)], [everyone])).toEqual(["owner", "member"]);
    expect(offeredTo([user(guild.person("member"), false)], [everyone])).toEqual(["owner", "helper"]);
    expect(offeredTo([channel(guild.channel("staff"), false)], [everyone])).toEqual(["owner"]);
    expect(offeredTo([channel(String(BigInt(guild.id) - 1n), false)], [everyone])).toEqual(["owner"]);
    expect(offeredTo([role(guild.id, false)], [role(helper, true)])).toEqual(["owner", "helper"]);
  });

  it("the command's entry for the same one decides", () => {
    const helper = guild.role("Helper");
    expect(offeredTo([role(helper, false)], [role(helper, true)])).toEqual(["owner", "helper"]);
    expect(offeredTo([role(guild.id, true)], [role(guild.id, false)])).toEqual(["owner"]);

    const staff = guild.channel("staff");
    const application = [role(guild.id, true), channel(staff, false)];

    expect(offeredTo(application, [channel(staff, true)])).toEqual(["owner", "helper", "member"]);
  });

  it("an allow of the application lets a person use the command", () => {
    expect(offeredTo([user(guild.person("member"), true)], [])).toEqual(["owner", "member"]);
    expect(offeredTo([user(guild.person("member"), true)], [role(guild.id, false)])).toEqual(["owner", "member"]);
  });

  it("a channel's own entry comes before that for all channels, a person's before roles, roles before everyone", () => {
    const staff = guild.channel("staff");
    const allChannels = String(BigInt(guild.id) - 1n);

    const everyone = role(guild.id, true);

    expect(offeredTo([channel(allChannels, false), everyone], [channel(staff, true)])).toContain("member");
    expect(offeredTo([user(guild.person("helper"), true)], [role(guild.role("Helper"), false)])).toContain("helper");

    const roles = [role(guild.role("Helper"), false), role(guild.role("Guest"), true)];
    expect(offeredTo(roles, [role(guild.id, false)])).toEqual(["owner", "helper"]);
  });

  it("without any, the command's own default holds", () => {
    expect(offeredTo([], [])).toEqual(["owner"]);
  });
});
