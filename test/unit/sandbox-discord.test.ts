import { MessageResponseSchema } from "discord-api-spec/zod";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { customIdsOf, type PretendDiscord, textOf } from "../sandbox/discord/discord.ts";
import { type Bench, button, row, setUp, text, v2 } from "./sandbox-discord-bench.ts";

let bench: Bench;
let discord: PretendDiscord;

beforeEach(async () => {
  bench = await setUp();
  discord = bench.discord;
});

afterEach(() => bench.tearDown());

describe("the pretend Discord, as to messages,", () => {
  const x = (...components: object[]) => ({ content: "x", components: [row(...components)] });
  const menu = (...values: string[]) =>
    v2(row({ type: 3, custom_id: "a", options: values.map((value) => ({ label: "A", value })) }));
  const link = { ...button("Go", "a"), url: "https://a.example" };
  const six = [..."abcdef"].map((id) => button(id, id));
  const mentions = { content: "x", allowed_mentions: { parse: ["roles"], roles: ["1"] } };
  const refused: [string, Record<string, unknown>, string][] = [
    ["nothing in it", {}, "50006"],
    ["blanks only", { content: "  " }, "50006"],
    ["more than 2,000 characters", { content: "x".repeat(2_001) }, "2000 or fewer"],
    [
      "6,000 characters over all embeds",
      { embeds: Array(2).fill({ description: "x".repeat(3_001) }) },
      "MAX_EMBED_SIZE",
    ],
    ["a button without custom id", x(button("Go")), "BASE_TYPE_REQUIRED"],
    ["a link that also has a custom id", x(link), "MUTUALLY_EXCLUSIVE"],
    ["six buttons in a row", x(...six), "TOO_BIG"],
    ["a custom id twice", x(button("A", "a"), button("B", "a")), "COMPONENT_CUSTOM_ID_DUPLICATED"],
    ["a custom id of 101 characters", x(button("A", "a".repeat(101))), "TOO_BIG"],
    ["V2 components without the flag", { components: [text("x")] }, 'type\\" must be one of (1,)'],
    ["content beside V2", { ...v2(text("x")), content: "x" }, "LEGACY_FIELDS"],
    ["embeds beside V2", { ...v2(text("x")), embeds: [{ title: "x" }] }, "LEGACY_FIELDS"],
    ["41 components, nested ones counted", v2({ type: 17, components: Array(40).fill(text("x")) }), "MAX_TOTAL"],
    ["4,001 characters of text", v2(text("x".repeat(2_001)), text("x".repeat(2_000))), "TEXT_SIZE"],
    ["a text display with nothing in it", v2(text("")), "TOO_SMALL"],
    ["a section without accessory", v2({ type: 9, components: [text("x")] }), "accessory"],
    ["a file that is not attached", v2({ type: 13, file: { url: "attachment://a.txt" } }), "ATTACHMENT_NOT_FOUND"],
    ["a menu value twice", menu("1", "1"), "DUPLICATED"],
    ["26 options in a menu", menu(...Array.from({ length: 26 }, (_, n) => `${n}`)), "TOO_BIG"],
    ["parse and roles at odds", mentions, "mutually exclusive"],
    ["a nonce of 26 characters", { content: "x", nonce: "x".repeat(26) }, "nonce"],
  ];

  it.each(refused)("refuses a message with %s", async (_, body, reason) => {
    const guild = discord.addGuild();
    const { status, text: answer } = await bench.raw("POST", `/channels/${guild.channel("new-orders")}/messages`, body);

    expect(status).toBe(400);
    expect(answer.toLowerCase()).toContain(reason.toLowerCase());
    expect(discord.refusals).toHaveLength(1);
    expect(discord.messages(guild.channel("new-orders"))).toEqual([]);
  });

  it("takes what the API takes, answers as its specification says, and names unknown keys", async () => {
    const guild = discord.addGuild();
    const channel = guild.channel("new-orders");

    const sent = await bench.api.channels.createMessage(channel, {
      ...v2({
        type: 17,
        components: [
          text("New order"),
          { type: 13, file: { url: "attachment://a.txt" } },
          row(button("Open", "order:open:1")),
        ],
      }),
      files: [{ name: "a.txt", data: Buffer.from("goods"), contentType: "text/plain" }],
    } as Parameters<typeof bench.api.channels.createMessage>[1]);

    expect(MessageResponseSchema.safeParse(sent).error?.issues).toBeUndefined();

    const [shown] = discord.messages(channel);
    expect(shown && textOf(shown)).toBe("New order\nOpen");
    expect(shown && customIdsOf(shown)).toEqual(["order:open:1"]);
    expect(await (await fetch(sent.attachments[0]?.url ?? "")).text()).toBe("goods");
    expect((await fetch((sent.attachments[0]?.url ?? "").replace(/hm=.*/, "hm=0"))).status).toBe(404);

    await bench.raw("POST", `/channels/${channel}/messages`, { content: "x", colour: 1 });
    expect(discord.unknownKeys).toEqual([{ method: "POST", path: `/channels/${channel}/messages`, keys: ["colour"] }]);
  });

  it("posts once per nonce for five minutes", async () => {
    const channel = discord.addGuild().channel("new-orders");
    const send = () =>
      bench.raw("POST", `/channels/${channel}/messages`, { content: "x", nonce: "n", enforce_nonce: true });

    const [first, second] = [await send(), await send()];

    expect(second.body.id).toBe(first.body.id);

    bench.forward(5 * 60_000 + 1);
    expect((await send()).body.id).not.toBe(first.body.id);
    expect(discord.messages(channel)).toHaveLength(2);
  });

  it("keeps a V2 message V2, and others' messages from edits", async () => {
    const guild = discord.addGuild();
    const path = `/channels/${guild.channel("staff")}/messages`;

    const { body } = await bench.raw("POST", path, v2(text("x")));

    expect((await bench.raw("PATCH", `${path}/${body.id}`, { content: "y" })).text).toContain("LEGACY_FIELDS");
    expect((await bench.raw("PATCH", `${path}/${body.id}`, { flags: 0, components: [text("y")] })).status).toBe(400);
    expect((await bench.raw("PATCH", `${path}/${body.id}`, { components: [text("y")] })).status).toBe(200);

    const theirs = discord.say(guild.person("owner"), guild.channel("staff"), "mine");
    expect((await bench.raw("PATCH", `${path}/${theirs.id}`, { content: "y" })).body.code).toBe(50005);
  });

  it("limits a channel to 5 messages in 5 s and a bot to 50 requests a second", async () => {
    const channel = discord.addGuild().channel("new-orders");
    const send = () => bench.raw("POST", `/channels/${channel}/messages`, { content: "x" });

    for (let sent = 1; sent <= 5; sent += 1) {
      const { headers } = await send();
      expect(headers.get("x-ratelimit-remaining")).toBe(String(5 - sent));
    }

    const sixth = await send();
    expect(sixth.status).toBe(429);
    expect(sixth.headers.get("x-ratelimit-scope")).toBe("user");
    expect(sixth.body).toMatchObject({ global: false, retry_after: expect.closeTo(5, 0) });

    bench.forward(5_000);
    expect((await send()).status).toBe(200);

    const statuses = await Promise.all(Array.from({ length: 60 }, () => bench.raw("GET", "/gateway/bot")));
    expect(statuses.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(9);
    expect(statuses.at(-1)?.headers.get("x-ratelimit-global")).toBe("true");
  });
});

describe("the pretend Discord, as to commands,", () => {
  const put = (commands: unknown[]) => bench.raw("PUT", `/applications/${discord.applicationId}/commands`, commands);
  const option = { type: 3, name: "id", description: "Id" };
  const refused: [string, Record<string, unknown>, string][] = [
    ["capitals in a name", { name: "Order" }, "INVALID_NAME"],
    ["a missing description", { description: undefined }, "BASE_TYPE_REQUIRED"],
    ["a localized name with a blank", { name_localizations: { es: "un pedido" } }, "name_localizations"],
    ["a locale that Discord does not have", { name_localizations: { pt: "pedido" } }, "ENUM_TYPE_COERCE"],
    [
      "a required option after an optional one",
      { options: [option, { ...option, name: "b", required: true }] },
      "REQUIRED_INVALID",
    ],
    ["an option name twice", { options: [option, option] }, "ALREADY_EXISTS"],
    ["a sub-command beside an option", { options: [option, { ...option, type: 1, name: "b" }] }, "TYPE_INVALID"],
    [
      "choices with autocomplete",
      { options: [{ ...option, autocomplete: true, choices: [{ name: "a", value: "a" }] }] },
      "EXCLUSIVE",
    ],
  ];

  it.each(refused)("refuses a command with %s", async (_, change, reason) => {
    const answer = await put([{ name: "order", description: "An order", ...change }]);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(reason);
  });

  it("keeps the id of a command that is published again, and counts 200 creations a day", async () => {
    const [first, second] = [await bench.publish(), await bench.publish()];
    expect(second.body).toEqual(first.body);

    const many = (letter: string) =>
      Array.from({ length: 100 }, (_, n) => ({ name: `${letter}${n}`, description: "x" }));
    expect((await put(many("a"))).status).toBe(200);
    expect((await put(many("b"))).body.code).toBe(30034);

    bench.forward(24 * 3_600_000);
    expect((await put(many("b"))).status).toBe(200);
  });
});
