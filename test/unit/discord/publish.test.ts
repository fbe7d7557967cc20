import { API, type APIApplicationCommandOption, Locale } from "@discordjs/core";
import { REST } from "@discordjs/rest";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { commands } from "../../../commands/index.ts";
import { localeOf } from "../../../src/basics/locale.ts";
import { definitionOf } from "../../../src/discord/publishing/command-definition.ts";
import { createCommandPublisher, publishedTable } from "../../../src/discord/publishing/publish-commands.ts";
import { createRest } from "../../../src/discord/rest/rest.ts";
import { recordedLog, silentLog } from "../../support/recorded-log.ts";
import { useDiscord } from "../../support/use-discord.ts";
import { useFakeTimers } from "../../support/use-fake-timers.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { useStorage } from "../../support/use-storage.ts";

const discord = useDiscord();
const storage = useStorage();
const api = useFixture(() => new API(new REST({ version: "10", api: discord.apiUrl }).setToken(discord.token)));

const publisher = (guildId: string | undefined, more: Partial<Parameters<typeof createCommandPublisher>[0]>) =>
  createCommandPublisher({
    api,
    applicationId: discord.applicationId,
    guildId,
    commands,
    published: storage.table(publishedTable),
    log: silentLog,
    ...more,
  });
const publish = (list: typeof commands = commands, guildId?: string) =>
  publisher(guildId, { commands: list }).publish(new AbortController().signal);
const puts = () => discord.requests.filter(({ method }) => method === "PUT").length;

describe("publishing the commands", () => {
  test("happens again only when a command is gone here or at Discord", async () => {
    await publish();
    await publish();
    expect(puts()).toBe(1);
    await publish(commands.slice(1));
    expect(puts()).toBe(2);
    expect(discord.commands().map(({ name }) => name)).not.toContain(commands[0]?.name);

    await api.applicationCommands.bulkOverwriteGlobalCommands(discord.applicationId, []);
    await publish(commands.slice(1));
    expect(discord.commands()).toHaveLength(commands.length - 1);
  });

  test("happens again after another version of the bot changed one, also under the same names", async () => {
    await publish();
    const others = commands.map((command) => ({ ...definitionOf(command), options: [] }));
    await api.applicationCommands.bulkOverwriteGlobalCommands(discord.applicationId, others);

    await publish();

    const [order] = discord.commands().filter(({ name }) => name === "order");
    expect(order?.options).toHaveLength(1);
    await publish();
    expect(puts()).toBe(3);
  });

  test("to one server does not count for all of them", async () => {
    const { id } = discord.addGuild();
    await publish(commands, id);
    expect(discord.requests.at(-1)?.path).toBe(`/applications/${discord.applicationId}/guilds/${id}/commands`);

    await publish();
    expect(discord.commands()).toHaveLength(commands.length);
  });
});

describe("commands that Discord refuses", () => {
  const hour = 3_600_000;
  const logged = useFixture(recordedLog);
  let ending: AbortController;
  let publishing: ReturnType<typeof createCommandPublisher>;

  useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  beforeEach(() => {
    ending = new AbortController();
  });
  afterEach(() => ending.abort());

  function begin(guildId?: string) {
    const patient = new API(createRest({ token: discord.token, apiUrl: discord.apiUrl }));
    publishing = publisher(guildId, { api: patient, log: logged.log });
    return publishing.publish(ending.signal);
  }
  const refuse = (rule: { status: number; body?: unknown; headers?: Record<string, string> }) =>
    discord.fail({ method: "PUT", path: /\/commands$/, ...rule });
  const tooMany = { code: 30_034, message: "Max number of daily application command creates has been reached (200)" };
  const lines = () => logged.at().map(({ level, message }) => `${level} ${message}`);

  test("are logged once, and tried again an hour later", async () => {
    await publish(commands.slice(1));
    const mend = refuse({ status: 400, body: tooMany });

    await begin();

    expect(lines()).toEqual([expect.stringMatching(/^error Discord refuses the commands: .*nothing is to be done/)]);
    expect(new Set(publishing.ids("1").keys())).toEqual(new Set(commands.slice(1).map(({ name }) => name)));

    const before = puts();
    await vi.advanceTimersByTimeAsync(hour - 60_000);
    expect(puts()).toBe(before);
    mend();
    await vi.advanceTimersByTimeAsync(60_000);

    await expect.poll(() => publishing.ids("1").size).toBe(commands.length);
    expect(discord.commands()).toHaveLength(commands.length);
  });

  test("in one server have no ids in another: its settings may deny older commands of the same name", async () => {
    const { id } = discord.addGuild();
    await begin(id);
    expect([publishing.ids(id).size, publishing.ids("1").size]).toEqual([commands.length, 0]);
  });

  test("in one server are logged with the remedy about DISCORD_GUILD_ID", async () => {
    const { id } = discord.addGuild();
    refuse({ status: 403, body: { code: 50_001, message: "Missing Access" } });

    await begin(id);

    expect(lines()).toEqual([
      expect.stringMatching(`^error .*invite the bot to server ${id}, or take DISCORD_GUILD_ID out`),
    ]);
  });

  test("in one server are gone from there after a start for all servers (before: each was there twice)", async () => {
    const [{ id }, { id: left }] = [discord.addGuild(), discord.addGuild()];
    await begin(id);
    await begin(left);
    discord.removeGuild(left);

    await begin();

    expect(await api.applicationCommands.getGuildCommands(discord.applicationId, id)).toEqual([]);
    expect([discord.commands().length, lines()]).toEqual([commands.length, Array(3).fill("info commands published")]);
    const before = puts();
    await begin();
    expect(puts()).toBe(before);
  });

  test("for a limit are tried again when Discord says so", async () => {
    refuse({ status: 429, headers: { "retry-after": "600" } });

    await begin();

    expect(lines()).toEqual(["warn the commands could not be published; trying again"]);
    const before = puts();
    await vi.advanceTimersByTimeAsync(590_000);
    expect(puts()).toBe(before);
    await vi.advanceTimersByTimeAsync(15_000);
    await expect.poll(lines).toHaveLength(2);
  });

  test("for a limit that names no seconds are tried again after growing waits", async () => {
    refuse({ status: 429, headers: { "retry-after": "Fri, 27 Nov 2026 10:00:00 GMT" } });
    await begin();
    const waits = () => logged.at("warn").map(({ fields }) => fields.retryInMs);

    for (const count of [1, 2, 3]) {
      await expect.poll(() => waits().length).toBeGreaterThanOrEqual(count);
      await vi.advanceTimersByTimeAsync(Number(waits().at(-1)));
    }

    expect(waits().slice(0, 3)).toEqual([1_000, 2_000, 4_000]);
  });
});

test("definitions have texts for every name in every language, values of their own for choices, and required options first", () => {
  const served = Object.values(Locale).filter((discord) => localeOf(discord) !== "en");
  expect(served).toEqual(expect.arrayContaining(["pt-BR", "es-ES", "es-419"]));
  const languages = (names?: object | null) => expect(Object.keys(names ?? {})).toEqual(served);

  function check(part: ReturnType<typeof definitionOf> | APIApplicationCommandOption) {
    expect(part.name).toMatch(/^[a-z-]{1,32}$/);
    expect(part.description.length).toBeGreaterThan(5);
    languages(part.name_localizations);
    languages(part.description_localizations);
    for (const { name, value, name_localizations: names } of "choices" in part ? (part.choices ?? []) : []) {
      expect(name).not.toBe(value);
      languages(names);
    }
    const options = "options" in part ? (part.options ?? []) : [];
    const required = options.map((option) => "required" in option && option.required === true);
    expect(required).toEqual([...required].sort((a, b) => Number(b) - Number(a)));
    options.forEach(check);
  }
  for (const command of commands) check(definitionOf(command));
});
