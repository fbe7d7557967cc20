import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type PretendDiscord, textOf } from "../sandbox/discord/discord.ts";
import { type Bench, setUp } from "./sandbox-discord-bench.ts";

let bench: Bench;
let discord: PretendDiscord;

beforeEach(async () => {
  bench = await setUp();
  discord = bench.discord;
});

afterEach(() => bench.tearDown());

describe("the pretend Discord, as to interactions,", () => {
  it("takes the first answer within 3 s only, once, and later ones for 15 minutes", async () => {
    const guild = discord.addGuild();
    await bench.publish();
    const late = bench.run(guild);

    bench.forward(3_001);

    expect((await bench.callback(late, { type: 5 })).body.code).toBe(10062);

    const interaction = bench.run(guild);
    expect((await bench.webhook(interaction, "PATCH", { content: "x" })).body.code).toBe(10015);
    expect((await bench.callback(interaction, { type: 5 })).status).toBe(204);
    expect((await bench.callback(interaction, { type: 9, data: {} })).body.code).toBe(40060);
    expect((await bench.webhook(interaction, "PATCH", { content: "x" })).status).toBe(200);

    bench.forward(15 * 60_000);
    expect((await bench.webhook(interaction, "PATCH", { content: "y" })).body.code).toBe(50027);
    expect(textOf(await interaction.settled())).toBe("x");
  });

  it("opens a modal as the first answer only, and submits it as a client would", async () => {
    const guild = discord.addGuild();
    await bench.publish();
    const input = { type: 4, custom_id: "token", style: 1, max_length: 5, value: "abc" };
    const label = (component: unknown, name = "Token") => ({ type: 18, label: name, component });
    const modal = (...components: unknown[]) => ({ type: 9, data: { custom_id: "m", title: "Connect", components } });

    const interaction = bench.run(guild);

    expect((await bench.callback(interaction, modal(label({ ...input, value: "abcdef" })))).text).toContain(
      "between 0 and 5",
    );
    expect((await bench.callback(interaction, modal(label(input, "x".repeat(46))))).status).toBe(400);
    expect((await bench.callback(interaction, modal(label(input), label(input)))).text).toContain("DUPLICATED");

    const upload = { type: 19, custom_id: "file", required: false };
    expect((await bench.callback(interaction, modal(label(input), label(upload, "Picture")))).status).toBe(204);

    const staff = guild.person("staff");
    expect(() => discord.submit(staff, interaction, { Token: "too long" })).toThrow("length is 8");
    expect(() => discord.submit(staff, interaction, { Wrong: "x" })).toThrow("no field called Wrong");

    const picture = discord.upload("a.png", Buffer.from("png"), "image/png");
    const events: Record<string, unknown>[] = [];
    discord.on("dispatch", ({ d }) => events.push(d));
    const submitted = discord.submit(staff, interaction, { Token: "xyz", Picture: [picture] });

    expect(events[0]?.data).toMatchObject({
      custom_id: "m",
      components: [
        { type: 18, component: { custom_id: "token", value: "xyz" } },
        { component: { values: [picture.id] } },
      ],
      resolved: { attachments: { [picture.id]: { filename: "a.png" } } },
    });
    expect((await bench.callback(submitted, modal(label(input)))).text).toContain("(4, 5)");
    expect((await bench.callback(submitted, { type: 4, data: { content: "ok" } })).status).toBe(204);
  });

  it("offers at most 25 choices of the right type", async () => {
    const guild = discord.addGuild();
    await bench.publish();
    const type = () =>
      discord.autocomplete(guild.person("staff"), {
        guildId: guild.id,
        channelId: guild.channel("staff"),
        name: "alerts",
        subcommand: "set",
        options: { status: "PEN" },
        focused: "status",
      });
    const choices = (value: unknown, count = 1) => ({
      type: 8,
      data: { choices: Array(count).fill({ name: "x", value }) },
    });

    const interaction = type();

    expect((await bench.callback(interaction, { type: 5 })).status).toBe(400);
    expect((await bench.callback(interaction, choices("x", 26))).status).toBe(400);
    expect((await bench.callback(interaction, choices(1))).status).toBe(400);
    expect((await bench.callback(interaction, choices("x".repeat(101)))).status).toBe(400);
    expect((await bench.callback(interaction, choices("PENDING"))).status).toBe(204);
    expect((await interaction.answer()).choices).toEqual([{ name: "x", value: "PENDING" }]);
  });

  it("sends only what a client would let this person send", async () => {
    const guild = discord.addGuild();
    await bench.publish();

    expect(() => bench.run(guild, { channel: "1" })).toThrow("is no channel");
    expect(() => bench.run(guild, { page: 0 })).toThrow("not between 1");
    expect(() => bench.run(guild, { page: 1.5 })).toThrow("whole number");
    expect(() => bench.run(guild, { status: "x".repeat(11) })).toThrow("length is 11");

    const input = { guildId: guild.id, channelId: guild.channel("staff"), name: "alerts", subcommand: "set" };
    expect(() => discord.command(guild.person("staff"), input)).toThrow('"channel" is required');

    const whole = { ...input, options: { channel: guild.channel("staff") } };
    expect(() => discord.command(guild.person("member"), whole)).toThrow("lacks the permission");
    expect(discord.command(guild.person("member"), { ...whole, force: true }).kind).toBe("command");

    const [command] = discord.commands();
    discord.setCommandPermissions(guild.id, command?.id ?? "", [{ id: guild.id, type: 1, permission: true }]);

    expect(discord.command(guild.person("member"), whole).kind).toBe("command");
  });
});
