import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type PretendDiscord, startDiscord, textOf } from "../sandbox/discord/discord.ts";
import { type PretendStore, startStore } from "../sandbox/store/start-store.ts";
import { freePort } from "../support/process/free-port.ts";
import { startCommand } from "../support/process/start-command.ts";
import { keys, openTerminal, type Terminal } from "../support/process/terminal.ts";
import { sized } from "../support/sized.ts";

let discord: PretendDiscord;
let store: PretendStore;
let directory: string;
let terminals: Terminal[];

beforeEach(async () => {
  [discord, store, directory] = await Promise.all([
    startDiscord({ botName: "Shopbell" }),
    startStore(),
    mkdtemp(join(tmpdir(), "shopbell-first-")),
  ]);
  terminals = [];
});

afterEach(async () => {
  const typed = discord.token.split(".").slice(1);
  const shown = terminals.map(({ output }) => output()).join("");
  await Promise.all(terminals.map((terminal) => terminal[Symbol.asyncDispose]()));
  await Promise.all([discord.close(), store.close()]);
  await rm(directory, { recursive: true, force: true });
  for (const part of typed) expect(shown).not.toContain(part);
});

function start(environment: Readonly<Record<string, string | undefined>> = {}, columns?: number): Terminal {
  const env = { DISCORD_API_URL: discord.apiUrl, LANG: "C", POLL_SCHEDULE: "*/1 * * * * *", ...environment };
  const terminal = openTerminal(startCommand, { cwd: directory, env, columns });
  terminals.push(terminal);
  return terminal;
}

const askedToken = "Paste the token. It is not shown.";
const askedStore = "Address of your store's API";
const askedNext = "What now?";

async function giveToken(terminal: Terminal, token = discord.token, times = 1) {
  await terminal.shows(askedToken, times);
  terminal.type(`${token}${keys.enter}`);
}
async function giveStore(terminal: Terminal, address = store.url, times = 1) {
  await terminal.shows(askedStore, times);
  terminal.type(`${address}${keys.enter}`);
}
async function choose(terminal: Terminal, option: string, keysToIt: string, times = 1) {
  await terminal.shows(askedNext, times);
  await terminal.shows(option);
  terminal.type(`${keysToIt}${keys.enter}`);
}
async function end(terminal: Terminal) {
  terminal.type(keys.ctrlC);
  expect(await terminal.exited).toBe(0);
}

const written = () => readFile(join(directory, ".env"), "utf8");
const bothSettings = () => `DISCORD_TOKEN=${discord.token}\nSTORE_API_URL=${store.url}\n`;
const nothingWritten = async () => expect(await readdir(directory)).toEqual([]);

describe("npm start on a terminal without settings", () => {
  test("asks for what it needs, writes .env, prints the invite link, and greets (0.1.0: two lines and exit code 1)", async () => {
    const terminal = start();
    await giveToken(terminal);
    await terminal.shows("This is the bot Shopbell.");
    await giveStore(terminal, `${store.url}/open-api`);
    await terminal.shows("asks for a token, as a store's API does.");
    await terminal.shows(
      `https://discord.com/oauth2/authorize?client_id=${discord.applicationId}&integration_type=0&scope=bot+applications.commands&permissions=117760`,
    );
    await terminal.shows("in no server yet");
    await terminal.shows("ready");
    const guild = discord.addGuild({
      name: "Moon Shop",
      joinedAt: Date.now(),
      systemChannel: "staff",
      locale: "pt-BR",
    });
    await terminal.shows("joined a server");
    await terminal.shows('server: "Moon Shop"');
    await terminal.shows("greeted a server; the next step there is /store connect");
    const greetings = () => discord.messages(guild.channel("staff")).map(textOf);
    expect(greetings()).toEqual([expect.stringContaining("**/loja conectar**")]);

    await end(terminal);
    expect(await written()).toBe(bothSettings());
    expect((await stat(join(directory, ".env"))).mode & 0o777).toBe(0o600);
    expect((await readdir(directory)).sort()).toEqual([".env", "data"]);

    const later = start();
    await later.shows(`invite link: https://discord.com/oauth2/authorize?client_id=${discord.applicationId}`);
    await later.shows("connection to Discord resumed");
    await later.shows("ready");
    await end(later);
    expect(greetings()).toHaveLength(1);
    expect(later.output()).not.toContain("Paste the token");
  });

  test("asks in 80 columns, and names mistakes, on a terminal that does not say its size (was: each letter on its own line)", async () => {
    const terminal = start({}, 0);
    await terminal.shows(askedToken);
    terminal.type(`a token${keys.enter}`);
    await terminal.shows("A bot token is one word");
    await giveToken(terminal);
    await giveStore(terminal);
    await terminal.shows("ready");
    await end(terminal);
    expect(await written()).toBe(bothSettings());
    expect(terminal.output()).toContain(
      "1. New Application: give it a name (the bot will have that name) and press\r\n",
    );
  });

  test.each(sized(["es_ES.UTF-8"], ["C", "pt_BR.UTF-8", "es_ES.UTF-8"]))(
    "fits into 60 columns, but for links (%s)",
    async (language) => {
      store.fail({ status: 404, body: { message: "Not Found" }, times: 1 });
      const terminal = start({ LANG: language }, 60);
      await terminal.shows("└");
      terminal.type(`${discord.token}${keys.enter}`);
      await terminal.shows("https://api.");
      terminal.type(`${store.url}${keys.enter}`);
      await terminal.shows("404");
      await terminal.shows("○");
      terminal.type(`${keys.down}${keys.enter}`);
      await terminal.shows("permissions=117760");

      const [dialog = ""] = terminal.screen().split("https://discord.com/oauth2");
      const lines = dialog.split("\n");
      expect(lines.filter((line) => line.length > 60 && /\s\S+\s\S/.test(line.slice(3)))).toEqual([]);
      // Lines that the terminal itself breaks have no bar.
      expect(lines.filter((line) => /^\p{L}/u.test(line))).toEqual([]);
    },
  );

  test("while Discord does not answer, the token is asked for again; an address in the environment is not asked for, and is kept; what keeps the bot deaf is told in the log", async () => {
    const blocked = discord.fail({ path: /@me/, status: 403, body: "<html>blocked</html>" });
    const terminal = start({ STORE_API_URL: `${store.url}/` });
    await giveToken(terminal);
    await terminal.shows("Discord cannot be reached (an answer that cannot be understood).");
    await terminal.shows("https://discordstatus.com");
    blocked();
    const own = { id: discord.applicationId, name: "Shopbell", bot_require_code_grant: true };
    discord.fail({ path: /^\/applications\/@me$/, status: 200, body: own });
    await giveToken(terminal, discord.token, 2);
    await terminal.shows("This is the bot Shopbell.");
    await terminal.shows(`The store's API is at ${store.url}, as STORE_API_URL says.`);
    await terminal.shows("WARN: Under Bot, Requires OAuth2 Code Grant is on");
    await terminal.shows("ready");

    expect(terminal.screen()).not.toContain(askedStore);
    expect(await written()).toBe(bothSettings());
  });

  test("an address in the environment at which no store answers is kept, and the person reads where to correct it (was: another one was asked for, which had no effect)", async () => {
    store.fail({ status: 404, body: { message: "Not Found" }, times: 1 });
    const terminal = start({ STORE_API_URL: store.url });
    await giveToken(terminal);
    await terminal.shows("such as a web page (answer 404).");
    await terminal.shows("To correct it, change STORE_API_URL where you set it, and start again.");
    await terminal.shows("ready");

    expect(terminal.screen()).not.toContain(askedNext);
    expect(await written()).toBe(bothSettings());
  });

  test("a token that Discord does not know is asked for again, and one that is none is not even sent; so is an address that nobody answers at, or something else than a store", async () => {
    const terminal = start();
    await terminal.shows(askedToken);
    terminal.type(`not a token${keys.enter}`);
    await terminal.shows("A bot token is one word");
    expect(discord.requests).toEqual([]);

    terminal.type(`${"a".repeat(24)}.bbbbbb.${"c".repeat(38)}${keys.enter}`);
    await terminal.shows("Discord does not know this token.");
    // People copy such characters along.
    await giveToken(terminal, ` "Bot ${discord.token}" `, 2);
    await terminal.shows("This is the bot Shopbell.");
    await giveStore(terminal, "");
    await terminal.shows("Type the address, such as https://api.example.com.");
    terminal.type(`http://store.example.com${keys.enter}`);
    await terminal.shows("This address cannot be used: it must begin with https://.");
    terminal.type(`${keys.delete.repeat(40)}sk_live_4fK29aQ${keys.enter}`);
    await terminal.shows("This is no address; one looks like https://api.example.com.");
    const closed = `http://127.0.0.1:${await freePort()}`;
    terminal.type(`${keys.delete.repeat(40)}${closed}${keys.enter}`);
    await terminal.shows("cannot be reached (ECONNREFUSED)");
    await choose(terminal, "Enter another address", "");
    // The input has the earlier text again.
    await terminal.shows(askedStore, 2);
    await terminal.shows(closed, 2);
    terminal.type(keys.delete.repeat(40));
    store.fail({ status: 404, body: { message: "Not Found" }, times: 1 });
    await giveStore(terminal, store.url, 2);
    await terminal.shows("such as a web page (answer 404).");
    await choose(terminal, "Keep this one", keys.down, 2);
    await terminal.shows("To correct it later, change STORE_API_URL in the file .env in this folder");
    await terminal.shows("ready");

    expect(await written()).toBe(bothSettings());
  });
});

test("Ctrl-C ends it with code 130 and leaves nothing: at a question, in the language of the machine, and while Discord is asked", async () => {
  const spoken = start({ LANG: "pt_BR.UTF-8" });
  await spoken.shows("Cole o token. Ele não aparece na tela.");
  spoken.type(`MTIz${keys.ctrlC}`);
  await spoken.shows("Cancelado. Nada foi salvo.");
  expect(await spoken.exited).toBe(130);

  const answers = discord.fail({ path: /@me/, delayMs: 60_000 });
  const asked = discord.waitFor(() => discord.requests[0], "the request");
  const asking = start();
  await giveToken(asking);
  await asked;
  asking.type(keys.ctrlC);
  expect(await asking.exited).toBe(130);
  answers();
  await nothingWritten();
});

test("nothing is asked on a terminal where a token is set, another variable is wrong, or a .env is, which stays as it is", async () => {
  const ends = async (environment: Readonly<Record<string, string>>, ...lines: readonly string[]) => {
    const terminal = start(environment);
    for (const line of lines) await terminal.shows(line);
    expect(await terminal.exited).toBe(1);
    expect(terminal.screen()).not.toContain("Paste the token");
  };
  const missing = "STORE_API_URL is missing; give it the address of the store's API";
  await ends({ DISCORD_TOKEN: discord.token }, missing);
  await ends({ LOG_LEVEL: "loud" }, "LOG_LEVEL is no log level");
  await nothingWritten();

  await writeFile(join(directory, ".env"), "LOG_LEVEL=info\n");
  await ends({}, "DISCORD_TOKEN is missing", missing);
  expect(await written()).toBe("LOG_LEVEL=info\n");
});
