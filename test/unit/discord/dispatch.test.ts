import { API, type APIInteraction } from "@discordjs/core";
import { beforeEach, expect, test } from "vitest";
import { budgets } from "../../../src/basics/limits/budgets.ts";
import { sleep } from "../../../src/basics/limits/sleep.ts";
import type { Command } from "../../../src/discord/commands/define-command.ts";
import type { Reply } from "../../../src/discord/commands/reply.ts";
import { createDispatch } from "../../../src/discord/interactions/dispatch.ts";
import { callerOf } from "../../../src/discord/interactions/interaction.ts";
import { createCommandPublisher, publishedTable } from "../../../src/discord/publishing/publish-commands.ts";
import { createRest } from "../../../src/discord/rest/rest.ts";
import { withAttachment } from "../../../src/views/parts/components.ts";
import { notice } from "../../../src/views/parts/notice.ts";
import { ProblemError } from "../../../src/views/parts/problem.ts";
import { type GuildModel, textOf } from "../../sandbox/discord/discord.ts";
import { countTurns } from "../../support/event-loop-turns.ts";
import { recordedLog } from "../../support/recorded-log.ts";
import { useDiscord } from "../../support/use-discord.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { useStorage } from "../../support/use-storage.ts";

const discord = useDiscord();
const storage = useStorage();
const logged = useFixture(recordedLog);
let guild: GuildModel;
let dispatch: ReturnType<typeof createDispatch>;
let ending: AbortController;
let work: Promise<void>;
let answer: (reply: Reply) => Promise<string>;
let access: () => Promise<void>;
/** A check of access rejects with it. */
const refusal = new ProblemError({ code: "not_allowed" });
let opened: () => void;
/** Kinds of components whose handlers were called. */
let called: string[];
/** Changes an interaction on its way. */
let arrives: (interaction: Record<string, unknown>) => object;

beforeEach(async () => {
  guild = discord.addGuild();
  access = async () => undefined;
  arrives = (interaction) => interaction;
  called = [];
  ending = new AbortController();
  const { log } = logged;
  const api = new API(createRest({ token: discord.token, apiUrl: discord.apiUrl, what: "answers" }));
  const { applicationId } = discord;
  const calls = (kind: string) => () => {
    called.push(kind);
    return { answer: "update", run: async () => undefined } as const;
  };
  const many = Array.from({ length: 40 }, (_, index) => ({ name: `choice ${index}`, value: String(index) }));
  const commands: Command[] = [
    {
      name: "order",
      execute: {
        options: { id: { kind: "string", required: true, suggest: async () => many } },
        job: () => ({ answer: "ephemeral", run: async (_, reply) => notice(await answer(reply)) }),
      },
      handlers: {
        buttons: {
          window: () => ({
            answer: "modal",
            async run() {
              opened();
              return { custom_id: "order:window", title: "Window", components: [] };
            },
          }),
          pick: calls("button"),
        },
        menus: { pick: calls("menu") },
        windows: {},
      },
    },
  ];
  const published = storage.table(publishedTable);
  const publishing = createCommandPublisher({ api, applicationId, guildId: undefined, commands, published, log });
  await publishing.publish(new AbortController().signal);
  dispatch = createDispatch({
    api,
    commands,
    commandIds: publishing.ids,
    access: { assertAllowed: () => access() },
    servicesFor: () => ({}) as never,
    monotonic: () => 0,
    log,
    ending: ending.signal,
  });
  work = Promise.resolve();
  discord.on("dispatch", ({ t, d }) => {
    if (t === "INTERACTION_CREATE") work = dispatch.handle(arrives(d) as APIInteraction);
  });
});

const place = () => ({ guildId: guild.id, channelId: guild.channel("staff"), name: "order", options: { id: "x" } });
const run = () => discord.command(guild.person("owner"), place());

test("an internal error is shown without its text, and logged under the same reference", async () => {
  answer = () => Promise.reject(new TypeError("cannot read 'secret' of undefined"));
  const text = textOf(await run().settled());
  expect(text).toMatch(/^❌ Something went wrong in the bot, and this was not completed\. /);
  expect(text).not.toContain("secret");

  const [, reference] = /`([0-9a-f]{8})`$/.exec(text) ?? [];
  await work;
  expect(logged.at("error").map(({ fields }) => fields.reference)).toEqual([reference]);
});

const callback = { method: "POST", path: /callback$/ };
const original = { method: "PATCH", path: /@original$/ };
const edits = () => discord.requests.filter(({ method }) => method === "PATCH").length;
const unknownMessage = { status: 404, body: { message: "Unknown Message", code: 10_008 } };

test.each([
  ["the first answer is lost before Discord got it", { ...callback, drop: "before" }],
  ["Discord took the first answer and the connection broke", { ...callback, drop: "after" }],
  ["the answer is lost before Discord got it", { ...original, drop: "before" }],
  ["Discord took the answer and the connection broke", { ...original, drop: "after" }],
] as const)("if %s, the command runs once and its answer is shown", async (_, fault) => {
  let runs = 0;
  answer = async () => `done ${++runs}`;
  discord.fail({ ...fault, times: 1 });

  const asked = run();
  await asked.settled();
  await work;

  expect(textOf(await asked.settled())).toBe("ℹ️ done 1");
  expect(logged.at("error")).toEqual([]);
});

test("if Discord takes no first answer for a while, the work does not begin, and the person is told so", async () => {
  let runs = 0;
  answer = async () => `done ${++runs}`;
  discord.fail({ ...callback, status: 503, times: 4 });
  expect(textOf(await run().settled())).toContain("this was not done. Nothing was changed.");
  await work;
  expect(runs).toBe(0);
  expect(logged.at("error")).toEqual([]);
});

test.each([
  ["an answer", true, run],
  ["a refusal", false, run],
  ["a list of suggestions", true, () => discord.autocomplete(guild.person("owner"), { ...place(), focused: "id" })],
])(
  "%s that is late, or after that of another process, is no error (before: a refusal and a list were errors)",
  async (_, isAllowed, ask) => {
    answer = async () => "never";
    if (!isAllowed) access = () => Promise.reject(refusal);
    const codes = [10_062, 40_060];
    for (const code of codes) {
      discord.fail({ ...callback, status: 400, body: { message: "Refused", code }, times: 1 });
      ask();
      await work;
    }

    const late = (code: number) => ({ level: "warn", fields: { guild: guild.id, code } });
    expect(logged.at("warn", "error")).toMatchObject(codes.map(late));
  },
);

const further = { method: "POST", path: /^\/webhooks\/\d+\/[^/]+$/ };

test.each([
  ["refuses the answer,", { ...original, status: 400 }],
  ["refuses a further message,", { ...further, status: 400 }],
  ["does not get a further message, because the connection breaks,", { ...further, drop: "before" }],
] as const)(
  "if Discord %s the person is told that the work may be done (before, after a further message: 'not completed')",
  async (_, fault) => {
    answer = async (reply) => {
      await reply.show(notice("begun"));
      await reply.send(notice("more"));
      return "done";
    };
    discord.fail({ ...fault, times: 1 });
    const asked = run();
    await work;
    expect(textOf(await asked.settled())).toContain(
      "What you asked for may have been done: check before you try again.",
    );
    expect(logged.at("error")).toHaveLength(1);
  },
);

test.each([
  ["the person deleted the answer", unknownMessage],
  ["the channel was deleted", { status: 404, body: { message: "Unknown Channel", code: 10_003 } }],
  ["the token is over", { status: 401, body: { message: "Invalid Webhook Token", code: 50_027 } }],
])("after %s, nothing more is sent (1.0.0: every progress, the result and an error)", async (_, fault) => {
  answer = async (reply) => {
    await reply.show(notice("one"));
    await reply.show(notice("two"));
    return "done";
  };
  discord.fail({ ...original, ...fault });
  await run().answer();
  await work;

  expect(edits()).toBe(1);
  expect(logged.at("error")).toEqual([]);
});

test("an answer has only the files of its last payload (1.0.0: a result had the file of the result before, too)", async () => {
  const withFile = (text: string) =>
    withAttachment(notice(text), { name: "result.csv", contentType: "text/csv", data: Buffer.from(text) });
  const files: number[] = [];
  answer = async (reply) => {
    await reply.show(withFile("first"));
    await reply.show(notice("going on"));
    files.push((await asked.settled()).attachments.length);
    await reply.show(withFile("second"));
    files.push((await asked.settled()).attachments.length);
    return "done";
  };
  const asked = run();
  await asked.answer();
  await work;

  expect(files).toEqual([0, 1]);
});

test("an answer with a long rate limit is not replaced by an error, which would meet the same limit", async () => {
  answer = async () => "done";
  discord.fail({ ...original, status: 429, headers: { "retry-after": "1200" } });
  await run().answer();
  await work;

  expect(edits()).toBe(1);
  expect(logged.at("error")).toEqual([]);
});

test("outside a server the answer is that the bot works only in servers", async () => {
  answer = async () => "never";
  arrives = ({ guild_id: _guild, member, ...rest }) => ({ ...rest, user: (member as { user: object }).user });
  const heard = discord.requests.length;
  run();
  await work;

  expect(JSON.stringify(discord.requests.slice(heard))).toContain("This works only in a server");
});

test("the channel is known if an interaction has only its id", () => {
  const member = { user: { id: "1" }, roles: [], permissions: "0" };
  expect(callerOf({ guild_id: guild.id, channel_id: "7", member } as never)?.channelId).toBe("7");
});

test("a button and a menu of one command may have the same name (before: one lost its handler)", async () => {
  const member = { user: { id: guild.person("owner") }, roles: [], permissions: "0" };
  for (const component_type of [2, 3, 8]) {
    const data = { custom_id: "order:pick:x", component_type };
    const press = { type: 3, id: "1", token: "t", guild_id: guild.id, channel: { id: "1" }, member, data };
    await dispatch.handle(press as never);
  }

  expect(called).toEqual(["button", "menu", "menu"]);
});

test("the end waits for work under way and begins nothing new", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  answer = () => promise;
  const first = run();
  await first.answer();
  let ended = false;
  ending.abort();
  const end = dispatch.end().then(() => {
    ended = true;
  });
  const heard = discord.requests.length;
  run();
  await work;
  expect(ended).toBe(false);
  expect(discord.requests).toHaveLength(heard);

  resolve("done");
  await end;
  expect(textOf(await first.settled())).toContain("done");
});

test("a command that ends because the process ends says so (before: that something went wrong in the bot)", async () => {
  answer = () => sleep(60_000, ending.signal).then(() => "never");
  const first = run();
  await first.answer();
  ending.abort();
  await dispatch.end();
  expect(textOf(await first.settled())).toMatch(
    /^⚠️ The bot was stopped meanwhile\. Nothing was changed\. .*Reference/s,
  );
  expect(logged.at("error")).toEqual([]);
});

test("one person who asks too much is told how long to wait, in one request each; others are not (0.1.0: two each)", async () => {
  answer = async () => "done";
  const heard = discord.requests.length;
  const count = budgets.interactions.burst + 20;
  const asked = Array.from({ length: count }, run);
  await Promise.all(asked.map((interaction) => interaction.settled()));
  const texts = await Promise.all(asked.map(async (interaction) => textOf(await interaction.settled())));
  const refused = texts.filter((text) => /\d+ s/.test(text));
  expect(texts.filter((text) => text === "ℹ️ done")).toHaveLength(budgets.interactions.burst);
  expect(refused).toHaveLength(20);
  expect(refused.join(), "which the log has only while debugging").not.toContain("Reference");
  // Two requests for each served command: the deferral and the answer.
  expect(discord.requests.length - heard).toBe(count + budgets.interactions.burst);

  const staff = discord.command(guild.person("staff"), place());
  expect(textOf(await staff.settled())).toContain("done");
});

test("a person without access is refused in the first answer, with one request (0.1.0: two)", async () => {
  answer = async () => "never";
  access = () => Promise.reject(refusal);
  const heard = discord.requests.length;

  expect(textOf(await run().settled())).toContain("Only members with the Manage Server permission");
  expect(discord.requests.length - heard).toBe(1);
});

test("the first answer comes in time if the look-up of access is slow", async () => {
  answer = async () => "never";
  const { promise, reject } = Promise.withResolvers<void>();
  access = () => promise;
  const asked = run();
  await asked.answer();

  reject(refusal);
  expect(textOf(await asked.settled())).toContain("Only members with the Manage Server permission");
});

test("presses that wait for the same look-up continue in separate turns of the event loop", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  access = () => promise;
  const count = countTurns();
  const turns: number[] = [];
  opened = () => void turns.push(count.turns());
  const member = { user: { id: guild.person("owner") }, roles: [], permissions: "0" };
  const data = { custom_id: "order:window:x", component_type: 2 };
  const press = { type: 3, guild_id: guild.id, channel: { id: "1" }, member, data };
  const handled = Array.from({ length: 10 }, (_, index) =>
    dispatch.handle({ ...press, id: String(index), token: "t", application_id: "1", locale: "en-US" } as never),
  );
  // Now all of them wait for the look-up.
  for (let turns = 0; turns < 20; turns += 1) await new Promise((next) => setImmediate(next));
  resolve();
  await Promise.all(handled);
  count.end();

  expect(turns).toHaveLength(10);
  expect(new Set(turns).size).toBe(10);
});

test("beyond a person's budget there are no suggestions, and no store is asked for them", async () => {
  const type = () => discord.autocomplete(guild.person("owner"), { ...place(), focused: "id" }).answer();
  const all = await Promise.all(Array.from({ length: 30 }, type));
  const offered = all.filter(({ choices = [] }) => choices.length > 0);
  expect(offered).toHaveLength(budgets.suggestions.burst);
});
