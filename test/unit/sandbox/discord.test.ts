import { MessageResponseSchema } from "discord-api-spec/zod";
import { beforeEach, describe, expect, it } from "vitest";
import { customIdsOf, type GuildModel, type Interaction, textOf } from "../../sandbox/discord/discord.ts";
import { useDiscord } from "../../support/use-discord.ts";

const text = (content: string) => ({ type: 10, content });
const button = (label: string, custom_id?: string) => ({ type: 2, style: 1, label, custom_id });
const row = (...components: unknown[]) => ({ type: 1, components });
const v2 = (...components: unknown[]) => ({ flags: 1 << 15, components });

/** The simulated Discord's clock. */
let now = Date.UTC(2026, 0, 1);
const discord = useDiscord({ now: () => now });
let guild: GuildModel;
let messages: string;
beforeEach(() => {
  guild = discord.addGuild();
  messages = `/channels/${guild.channel("new-orders")}/messages`;
});

/** A request without a client's checks. */
async function ask(method: string, path: string, content?: unknown) {
  const response = await fetch(`${discord.apiUrl}/v10${path}`, {
    method,
    headers: { authorization: `Bot ${discord.token}`, "content-type": "application/json" },
    ...(content === undefined ? {} : { body: JSON.stringify(content) }),
  });
  const said = await response.text();
  const body: Record<string, unknown> = said === "" ? {} : JSON.parse(said);
  return { status: response.status, headers: response.headers, body, said };
}
const put = (commands: unknown[]) => ask("PUT", `/applications/${discord.applicationId}/commands`, commands);
const publish = () =>
  put([
    {
      name: "alerts",
      description: "Alerts",
      default_member_permissions: "32",
      options: [
        {
          type: 1,
          name: "set",
          description: "Channel of alerts",
          options: [
            { type: 7, name: "channel", description: "Channel", required: true, channel_types: [0] },
            { type: 4, name: "page", description: "Page", min_value: 1 },
            { type: 3, name: "status", description: "Status", autocomplete: true, max_length: 10 },
          ],
        },
      ],
    },
  ]);

describe("messages", () => {
  const x = (...components: object[]) => ({ content: "x", components: [row(...components)] });
  const menu = (...values: string[]) =>
    v2(row({ type: 3, custom_id: "a", options: values.map((value) => ({ label: "A", value })) }));
  const mentions = { content: "x", allowed_mentions: { parse: ["roles"], roles: ["1"] } };

  it.each<[string, Record<string, unknown>, string]>([
    ["nothing in it", {}, "50006"],
    ["blanks only", { content: "  " }, "50006"],
    ["more than 2,000 characters", { content: "x".repeat(2_001) }, "2000 or fewer"],
    ["6,000 characters over all embeds", { embeds: Array(2).fill({ description: "x".repeat(3_001) }) }, "EMBED_SIZE"],
    ["a button without custom id", x(button("Go")), "BASE_TYPE_REQUIRED"],
    ["a custom id twice", x(button("A", "a"), button("B", "a")), "COMPONENT_CUSTOM_ID_DUPLICATED"],
    ["a custom id of 101 characters", x(button("A", "a".repeat(101))), "TOO_BIG"],
    ["V2 components without the flag", { components: [text("x")] }, 'type\\" must be one of (1,)'],
    ["content in V2", { ...v2(text("x")), content: "x" }, "LEGACY_FIELDS"],
    ["embeds in V2", { ...v2(text("x")), embeds: [{ title: "x" }] }, "LEGACY_FIELDS"],
    ["41 components, nested ones counted", v2({ type: 17, components: Array(40).fill(text("x")) }), "MAX_TOTAL"],
    ["4,001 characters of text", v2(text("x".repeat(2_001)), text("x".repeat(2_000))), "TEXT_SIZE"],
    ["a text display with nothing in it", v2(text("")), "TOO_SMALL"],
    ["a file that is not attached", v2({ type: 13, file: { url: "attachment://a.txt" } }), "ATTACHMENT_NOT_FOUND"],
    ["a menu value twice", menu("1", "1"), "DUPLICATED"],
    ["parse and roles for the same mentions", mentions, "mutually exclusive"],
    ["a nonce of 26 characters", { content: "x", nonce: "x".repeat(26) }, "nonce"],
  ])("with %s are refused", async (_, content, reason) => {
    const before = discord.refusals.length;
    const { status, said } = await ask("POST", messages, content);

    expect(status).toBe(400);
    expect(said.toLowerCase()).toContain(reason.toLowerCase());
    expect(discord.refusals).toHaveLength(before + 1);
    expect(discord.messages(guild.channel("new-orders"))).toEqual([]);
  });

  it("are answered as the specification says, with files, and unknown keys are recorded", async () => {
    const form = new FormData();
    const file = { type: 13, file: { url: "attachment://a.txt" } };
    const card = { type: 17, components: [text("New order"), file, row(button("Open", "order:open:1"))] };
    form.set("payload_json", JSON.stringify({ ...v2(card), colour: 1 }));
    form.set("files[0]", new Blob(["goods"], { type: "text/plain" }), "a.txt");
    const headers = { authorization: `Bot ${discord.token}` };
    const response = await fetch(`${discord.apiUrl}/v10${messages}`, { method: "POST", headers, body: form });

    expect(MessageResponseSchema.safeParse(await response.json()).error?.issues).toBeUndefined();
    const [shown] = discord.messages(guild.channel("new-orders"));
    expect(shown && textOf(shown)).toBe("New order\nOpen");
    expect(shown && customIdsOf(shown)).toEqual(["order:open:1"]);
    const url = shown?.attachments[0]?.url ?? "";
    expect(await (await fetch(url)).text()).toBe("goods");
    expect((await fetch(url.replace(/hm=.*/, "hm=0"))).status).toBe(404);
    expect(discord.unknownKeys).toEqual([{ method: "POST", path: messages, keys: ["colour"] }]);
  });

  it("are posted once per nonce for five minutes", async () => {
    const send = async () => (await ask("POST", messages, { content: "x", nonce: "n", enforce_nonce: true })).body.id;
    const first = await send();
    expect(await send()).toBe(first);

    now += 5 * 60_000 + 1;
    expect(await send()).not.toBe(first);
    expect(discord.messages(guild.channel("new-orders"))).toHaveLength(2);
  });

  it("stay V2 when they are edited, and only their author may edit them", async () => {
    const { body } = await ask("POST", messages, v2(text("x")));
    const edit = (content: unknown, id = body.id) => ask("PATCH", `${messages}/${id}`, content);
    expect((await edit({ content: "y" })).said).toContain("LEGACY_FIELDS");
    expect((await edit({ flags: 0, content: "y", components: [] })).said).toContain("CANNOT_REMOVE");
    expect((await edit({ components: [text("y")] })).status).toBe(200);

    const theirs = discord.say(guild.person("owner"), guild.channel("new-orders"), "mine");
    expect((await edit({ content: "y" }, theirs.id)).body.code).toBe(50005);
  });

  it("are limited to 5 in 5 s for each channel, and requests to 50 a second", async () => {
    const send = () => ask("POST", messages, { content: "x" });
    for (let sent = 1; sent <= 5; sent += 1) {
      expect((await send()).headers.get("x-ratelimit-remaining")).toBe(String(5 - sent));
    }
    const sixth = await send();
    expect(sixth.status).toBe(429);
    expect(sixth.headers.get("x-ratelimit-scope")).toBe("user");
    expect(sixth.body).toMatchObject({ global: false, retry_after: 5 });

    now += 5_000;
    expect((await send()).status).toBe(200);
    const statuses = await Promise.all(Array.from({ length: 60 }, () => ask("GET", "/gateway/bot")));
    expect(statuses.filter(({ status }) => status === 429).length).toBe(11);
    expect(statuses.at(-1)?.headers.get("x-ratelimit-global")).toBe("true");
  });
});

describe("commands", () => {
  const option = { type: 3, name: "id", description: "Id" };
  const late = { ...option, name: "b", required: true };
  const doubled = { ...option, autocomplete: true, choices: [{ name: "a", value: "a" }] };

  it.each<[string, Record<string, unknown>, string]>([
    ["capitals in a name", { name: "Order" }, "INVALID_NAME"],
    ["a localized name with a blank", { name_localizations: { es: "un pedido" } }, "name_localizations"],
    ["a locale that Discord does not have", { name_localizations: { pt: "pedido" } }, "ENUM_TYPE_COERCE"],
    ["a required option after an optional one", { options: [option, late] }, "REQUIRED_INVALID"],
    ["an option name twice", { options: [option, option] }, "ALREADY_EXISTS"],
    ["a sub-command next to an option", { options: [option, { ...option, type: 1, name: "b" }] }, "TYPE_INVALID"],
    ["choices and autocomplete", { options: [doubled] }, "EXCLUSIVE"],
  ])("with %s are refused", async (_, change, reason) => {
    const answer = await put([{ name: "order", description: "An order", ...change }]);
    expect(answer.status).toBe(400);
    expect(answer.said).toContain(reason);
  });

  it("keep their id and their version when they are published again", async () => {
    expect((await publish()).body).toEqual((await publish()).body);
  });
});

describe("interactions", () => {
  beforeEach(async () => {
    await publish();
  });

  const place = () => ({ guildId: guild.id, channelId: guild.channel("staff"), name: "alerts", subcommand: "set" });
  const run = (options: Record<string, string | number> = {}, by = "staff", force = false) =>
    discord.command(guild.person(by), {
      ...place(),
      options: { channel: guild.channel("new-orders"), ...options },
      force,
    });
  const answer = ({ id, token }: Interaction, body: unknown) =>
    ask("POST", `/interactions/${id}/${token}/callback`, body);
  const edit = ({ token }: Interaction, content: string) =>
    ask("PATCH", `/webhooks/${discord.applicationId}/${token}/messages/@original`, { content });

  it("accept the first answer once within 3 s, and later ones for 15 minutes", async () => {
    const late = run();
    now += 3_001;
    expect((await answer(late, { type: 5 })).body.code).toBe(10062);

    const interaction = run();
    expect((await edit(interaction, "x")).body.code).toBe(10015);
    expect((await answer(interaction, { type: 5 })).status).toBe(204);
    expect((await answer(interaction, { type: 9, data: {} })).body.code).toBe(40060);
    expect((await edit(interaction, "x")).status).toBe(200);

    now += 15 * 60_000 + 1;
    expect((await edit(interaction, "y")).body.code).toBe(50027);
    expect(textOf(await interaction.settled())).toBe("x");
  });

  it("open a modal as the first answer only, which is submitted as by a client", async () => {
    const input = { type: 4, custom_id: "token", style: 1, max_length: 5, value: "abc" };
    const label = (component: unknown, name = "Token") => ({ type: 18, label: name, component });
    const modal = (...components: unknown[]) => ({ type: 9, data: { custom_id: "m", title: "Connect", components } });
    const upload = { type: 19, custom_id: "file", required: false };
    const interaction = run();
    const open = async (...components: unknown[]) => (await answer(interaction, modal(...components))).said;

    expect(await open(label({ ...input, value: "abcdef" }))).toContain("between 0 and 5");
    expect(await open(label(input, "x".repeat(46)))).toContain("TOO_BIG");
    expect(await open(label(input), label(input))).toContain("DUPLICATED");
    expect(await open(label(input), label(upload, "Picture"))).toBe("");

    const staff = guild.person("staff");
    expect(() => discord.submit(staff, interaction, { Token: "too long" })).toThrow("length is 8");
    expect(() => discord.submit(staff, interaction, { Wrong: "x" })).toThrow("no field called Wrong");

    const picture = discord.upload("a.png", Buffer.from("png"), "image/png");
    const events: Record<string, unknown>[] = [];
    const stop = discord.on("dispatch", ({ d }) => events.push(d));
    const submitted = discord.submit(staff, interaction, { Token: "xyz", Picture: [picture] });
    stop();

    expect(events[0]?.data).toMatchObject({
      custom_id: "m",
      components: [
        { type: 18, component: { custom_id: "token", value: "xyz" } },
        { component: { values: [picture.id] } },
      ],
      resolved: { attachments: { [picture.id]: { filename: "a.png" } } },
    });
    expect((await answer(submitted, modal(label(input)))).said).toContain("(4, 5)");
    expect((await answer(submitted, { type: 4, data: { content: "ok" } })).status).toBe(204);
  });

  it("offer at most 25 choices of the right type", async () => {
    const typed = { ...place(), options: { status: "PEN" }, focused: "status" };
    const interaction = discord.autocomplete(guild.person("staff"), typed);
    const offer = async (value: unknown, count = 1) =>
      (await answer(interaction, { type: 8, data: { choices: Array(count).fill({ name: "x", value }) } })).status;

    expect((await answer(interaction, { type: 5 })).status).toBe(400);
    expect([await offer("x", 26), await offer(1), await offer("x".repeat(101))]).toEqual([400, 400, 400]);
    expect(await offer("PENDING")).toBe(204);
    expect((await interaction.answer()).choices).toEqual([{ name: "x", value: "PENDING" }]);
  });

  it("are only those that a client would let this person send", () => {
    expect(() => run({ channel: "1" })).toThrow("is no channel");
    expect(() => run({ page: 0 })).toThrow("not between 1");
    expect(() => run({ page: 1.5 })).toThrow("whole number");
    expect(() => run({ status: "x".repeat(11) })).toThrow("length is 11");
    expect(() => discord.command(guild.person("staff"), place())).toThrow('"channel" is required');

    expect(() => run({}, "member")).toThrow("lacks the permission");
    expect(() => run({}, "member", true)).not.toThrow();
    const [command] = discord.commands();
    discord.setCommandPermissions(guild.id, command?.id ?? "", [{ id: guild.id, type: 1, permission: true }]);
    expect(() => run({}, "member")).not.toThrow();
  });
});
