import { once } from "node:events";
import { type SessionInfo, WebSocketShardEvents } from "@discordjs/ws";
import { MessageResponseSchema } from "discord-api-spec/zod";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buttonsOf, type Interaction, type PretendDiscord, textOf } from "../sandbox/discord/discord.ts";
import { type Answering, type Bench, button, row, setUp, text, v2 } from "./sandbox-discord-bench.ts";

let bench: Bench;
let discord: PretendDiscord;

beforeEach(async () => {
  bench = await setUp();
  discord = bench.discord;
});

afterEach(() => bench.tearDown());

describe("the pretend Discord, as to interactions,", () => {
  it("carries a deferred answer, its filling and a follow-up to the real client and back", async () => {
    const guild = discord.addGuild();
    await bench.publish();
    await bench.connect(async ({ interactions }, { id, token, application_id }) => {
      await interactions.defer(id, token, { flags: 64 });
      await interactions.editReply(
        application_id,
        token,
        v2(text("done"), row(button("Next", "alerts:next"))) as never,
      );
      await interactions.followUp(application_id, token, { content: "more", flags: 64 });
    });

    const interaction = bench.run(guild);

    expect((await interaction.answer()).type).toBe(5);

    const message = await interaction.settled();
    expect(textOf(message)).toBe("done\nNext");
    expect(buttonsOf(message)).toMatchObject([{ label: "Next", customId: "alerts:next", disabled: false }]);
    expect(interaction.ephemeral).toBe(true);
    expect(textOf(await interaction.nextFollowup())).toBe("more");
    expect(discord.messages(guild.channel("staff"))).toEqual([]);
    expect(discord.messagesFor(guild.person("staff"), guild.channel("staff"))).toHaveLength(2);
    expect(() => discord.press(guild.person("owner"), message, "Next")).toThrow("does not see");
    expect(() => discord.press(guild.person("staff"), message, "Back")).toThrow('no button or menu "Back"');
    expect(MessageResponseSchema.safeParse(message).error?.issues).toBeUndefined();
  });

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

  it("holds a second answer against a bot only where the interaction came to it once", async () => {
    const guild = discord.addGuild();
    await bench.publish();
    let first: SessionInfo | undefined;
    const { until } = await bench.connect(undefined, {
      retrieveSessionInfo: () => first ?? null,
      updateSessionInfo: (_, info) => {
        first ??= info ?? undefined;
      },
    });
    const answered = async (interaction: Interaction) => {
      for (let times = 0; times < 2; times++) await bench.callback(interaction, { type: 5 });
      return discord.refusals.length;
    };
    expect(await answered(bench.run(guild))).toBe(1);

    const interaction = bench.run(guild);
    discord.gateway.drop();
    await until("Resumed", 1);
    expect(await answered(interaction)).toBe(1);
  });

  it("lets the first follow-up fill the deferred answer, and the deferral decide who sees it", async () => {
    const guild = discord.addGuild();
    await bench.publish();
    const interaction = bench.run(guild);

    await bench.callback(interaction, { type: 5 });
    await bench.webhook(interaction, "POST", { content: "x", flags: 64 }, "");

    expect(interaction.followups()).toEqual([]);
    expect(discord.messages(guild.channel("staff")).map(textOf)).toEqual(["x"]);
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

  it("updates the message of a pressed button, and tells its answers apart", async () => {
    const guild = discord.addGuild();
    const channel = guild.channel("staff");
    await bench.raw("POST", `/channels/${channel}/messages`, v2(text("1"), row(button("Next", "n"))));
    const [message] = discord.messages(channel);
    if (message === undefined) throw new Error("no message");

    const pressed = discord.press(guild.person("member"), message, "Next");

    expect((await bench.callback(pressed, { type: 8, data: { choices: [] } })).status).toBe(400);
    expect((await bench.callback(pressed, { type: 6 })).status).toBe(204);

    await bench.webhook(pressed, "PATCH", { components: [text("2")] });
    expect(textOf(await pressed.settled())).toBe("2");
    expect(() => discord.press(guild.person("member"), message, "Next")).toThrow("no button");
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

describe("the pretend Discord's gateway", () => {
  const greet: Answering = ({ interactions }, { id, token }) => interactions.reply(id, token, { content: "hi" });

  it("replays what was missed after a cut, a reconnect request and a resumable invalid session", async () => {
    const guild = discord.addGuild();
    await bench.publish();
    const { seen, failures, until } = await bench.connect(greet);
    const cuts = [
      () => discord.gateway.drop(),
      () => discord.gateway.reconnect(),
      () => discord.gateway.invalidSession(true),
    ];

    for (const [index, cut] of cuts.entries()) {
      cut();
      const interaction = bench.run(guild);
      expect(textOf(await interaction.settled())).toBe("hi");
      await until("Resumed", index + 1);
    }

    expect(seen.filter((what) => what === "Ready")).toHaveLength(1);
    expect(failures).toEqual([]);
  });

  it("takes up a resume after unanswered heartbeats", async () => {
    discord.addGuild();
    const { until } = await bench.connect();
    discord.gateway.pauseHeartbeatAcks(true);
    await discord.waitFor(() => discord.gateway.connections() === 0 || undefined, "the client to give up");
    discord.gateway.pauseHeartbeatAcks(false);
    await until("Resumed", 1);
  });

  it("tells of joins, removals and outages", async () => {
    const { seen, until } = await bench.connect();
    const guild = discord.addGuild();

    discord.setGuildUnavailable(guild.id);
    discord.setGuildUnavailable(guild.id, false);
    discord.removeGuild(guild.id);
    await until("GuildDelete", 2);

    expect(seen).toEqual(["Ready", "GuildCreate", "GuildDelete", "GuildCreate", "GuildDelete"]);
  });

  it.each([
    ["a wrong token", { token: "wrong" }, "Authentication failed"],
    ["an intent that was not granted", { intents: 1 << 15 }, "Used disallowed intents"],
    ["an intent that does not exist", { intents: 1 << 30 }, "Used invalid intents"],
  ])("closes on %s", async (_, change, reason) => {
    const gateway = bench.createGateway(change);
    const refusal = once(gateway, WebSocketShardEvents.Error);

    gateway.connect().catch(() => undefined);

    expect(String(await refusal)).toContain(reason);
  });

  it("splits servers over shards", async () => {
    for (let count = 0; count < 4; count += 1) discord.addGuild();
    const { seen, until } = await bench.connect(undefined, { shardCount: 2, shardIds: [1] });

    await until("GuildCreate", 2);

    expect(seen).toEqual(["Ready", "GuildCreate", "GuildCreate"]);
  });

  it("gives every session every event", async () => {
    const [one, two] = [await bench.connect(), await bench.connect()];

    discord.addGuild();
    await Promise.all([one.until("GuildCreate", 1), two.until("GuildCreate", 1)]);

    expect(discord.gateway.connections()).toBe(2);
  });
});
