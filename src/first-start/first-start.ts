import { rmSync, writeFileSync } from "node:fs";
import { CANCEL_SYMBOL, cancel, intro, log as line, outro, password, select, text } from "@clack/prompts";
import { API } from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";
import { localeOf } from "../basics/locale.ts";
import { pastedToken } from "../basics/pasted-token.ts";
import { printable } from "../basics/printable.ts";
import { reasonOf } from "../basics/reason.ts";
import { wrapped } from "../basics/wrapped.ts";
import { readConfig } from "../config.ts";
import { fetchIdentity, type Identity } from "../discord/publishing/identity.ts";
import { inviteLink } from "../discord/publishing/invite.ts";
import { createRest } from "../discord/rest/rest.ts";
import type { Texts } from "../locales/shape.ts";
import { texts } from "../locales/texts.ts";
import { exit } from "../operations/exit.ts";
import { probeStore } from "../store-api/probe-store.ts";

type Says = Texts["firstStart"];

/** Ctrl-C or Escape. */
class Cancelled extends Error {}

const portal = "https://discord.com/developers/applications";
/** By convention, 128 plus the number of SIGINT. */
const interruptedCode = 130;
/** A bar on the left of the dialogue takes three columns. */
const lines = (sentence: string) => wrapped(sentence, process.stdout.columns - 3).join("\n");

function answered<T>(answer: T | typeof CANCEL_SYMBOL): T {
  if (answer === CANCEL_SYMBOL) throw new Cancelled();
  return answer as T;
}

const choose = async <Value extends string>(message: string, options: { value: Value; label: string }[]) =>
  answered(await select<string>({ message, options, showInstructions: false })) as Value;

/** A bot's token has three parts: the bot's id, a time, a proof. */
const isTokenLike = (token: string) => /^[\w-]{17,}\.[\w-]+\.[\w-]{20,}$/.test(token);

async function identify(says: Says, token: string, apiUrl: string): Promise<Identity | undefined> {
  line.step(says.asking);
  try {
    return await fetchIdentity(new API(createRest({ token, apiUrl })), token);
  } catch (error) {
    const isRefused = error instanceof DiscordAPIError && error.status === 401;
    line.error(lines(isRefused ? says.tokenRefused : says.discordAway(reasonOf(error))));
    return undefined;
  }
}

async function askToken(says: Says, apiUrl: string): Promise<{ token: string; identity: Identity }> {
  for (;;) {
    const typed = await password({
      message: says.askToken,
      // The text in this field is hidden. If a refused text stayed there, the person would type after it.
      clearOnError: true,
      validate(value) {
        const token = pastedToken(value ?? "");
        if (token === "") return says.noToken;
        return isTokenLike(token) ? undefined : says.tokenShape;
      },
    });
    const token = pastedToken(answered(typed));
    const identity = await identify(says, token, apiUrl);
    if (identity) return { token, identity };
  }
}

/** The typed text may lack `https://`, or continue with `/open-api`. */
export function storeAddress(typed = ""): string {
  const address = typed.trim().replace(/\/open-api(?:\/.*)?$/i, "");
  const whole = /^[a-z]+:\/\//i.test(address) || address === "" ? address : `https://${address}`;
  return whole.replace(/\/+$/, "");
}

/** The longest label of a host name (RFC 1035, 2.3.4). */
const longestLabel = 63;

/** A single word is more likely the store's API token, which must not be sent to DNS. */
function isAddressLike(typed: string): boolean {
  if (/^[a-z]+:\/\//i.test(typed)) return true;
  const [host = ""] = typed.split(/[/:]/, 1);
  const labels = host.split(".");
  return /^localhost$/i.test(host) || (labels.length > 1 && labels.every((label) => label.length <= longestLabel));
}

/**
 * Undefined if the text can be the address of a store's API.
 *
 * @param isUsable whether the settings accept an address
 */
export function addressProblem(
  typed: string,
  isUsable: (address: string) => boolean,
): keyof Says["storeShape"] | undefined {
  const address = storeAddress(typed);
  if (isUsable(address)) return isAddressLike(typed.trim()) ? undefined : "none";
  return /^http:/i.test(address) ? "http" : "none";
}

async function judgeStore(says: Says, address: string): Promise<boolean> {
  const { host } = new URL(address);
  const found = await probeStore(address);
  if (found.kind === "api") {
    line.success(lines(says.storeFound(host)));
    return true;
  }
  const { storeNone, storeOther, storeWhere } = says;
  const what = found.kind === "none" ? storeNone(host, found.reason) : storeOther(host, String(found.status));
  line.warn(lines(`${what} ${storeWhere}`));
  return false;
}

async function askStore(says: Says, given: string | undefined, isUsable: (address: string) => boolean) {
  if (given !== undefined) {
    line.info(lines(says.storeGiven(given)));
    // The environment has precedence over `.env`. So an address that somebody types would have no effect.
    if (!(await judgeStore(says, given))) line.info(lines(says.keptGiven));
    return given;
  }
  for (let typed = ""; ; ) {
    const answer = await text({
      message: says.askStore,
      placeholder: says.storeExample,
      initialValue: typed,
      validate(value = "") {
        if (value.trim() === "") return says.noStore;
        const problem = addressProblem(value, isUsable);
        return problem && says.storeShape[problem];
      },
    });
    typed = answered(answer);
    const address = storeAddress(typed);
    if (await judgeStore(says, address)) return address;
    const next = await choose(says.whatNow, [
      { value: "other", label: says.otherAddress },
      { value: "keep", label: says.keepAddress },
    ]);
    if (next === "other") continue;
    line.info(lines(says.kept));
    return address;
  }
}

/** Values for the two settings that the person has not entered yet, so that all other settings can be checked. */
const placeholders = { DISCORD_TOKEN: "asked-for", STORE_API_URL: "https://asked-for.invalid" };

/**
 * Writes a new `.env` that only its owner may open (mode 0600; Windows has no such modes). The write is synchronous, so that
 * Ctrl-C does not interrupt it. Throws `EEXIST` if the file exists.
 *
 * @param values one word each, without quotes or `#`
 */
export function writeEnvFile(path: string, values: Readonly<Record<string, string>>): void {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  try {
    writeFileSync(path, lines.join(""), { flag: "wx", mode: 0o600, flush: true });
  } catch (error) {
    // On a full disk, an empty file is left. If it stayed, the next start would not ask.
    if (reasonOf(error) !== "EEXIST") rmSync(path, { force: true });
    throw error;
  }
}

/**
 * Asks on a terminal for the settings without a default: the bot's token and the store's address. Checks the token with
 * Discord, and tries the address. If the environment has an address, does not ask for one. Writes both to `.env`, and prints
 * the invite link. Ends the process if the person cancels (exit code 130) or the file cannot be written (exit code 1).
 *
 * @throws ConfigError before the first question, if an existing setting is wrong
 */
export async function firstStart(): Promise<void> {
  const set = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value?.trim()));
  const settings = readConfig({ ...placeholders, ...set });
  const isUsable = (address: string) => {
    try {
      readConfig({ ...placeholders, ...set, STORE_API_URL: address });
      return address !== "";
    } catch {
      return false;
    }
  };
  const says = texts(localeOf(Intl.DateTimeFormat().resolvedOptions().locale)).firstStart;
  const interrupt = () => exit(interruptedCode);
  // A terminal without a known size has 0 columns and 0 rows, for example in a container. Then each letter would have its own
  // line, and no mistake would be shown.
  process.stdout.columns ||= 80;
  process.stdout.rows ||= 24;
  process.prependListener("SIGINT", interrupt);
  try {
    intro(says.title);
    line.message([says.need, "", says.portal, portal, says.newApplication, says.resetToken].map(lines).join("\n"));
    const { token, identity } = await askToken(says, settings.discordApiUrl);
    if (identity.name !== undefined) line.success(lines(says.bot(printable(identity.name))));
    const given = set.STORE_API_URL === undefined ? undefined : settings.storeApiUrl;
    const address = await askStore(says, given, isUsable);
    try {
      writeEnvFile(".env", { DISCORD_TOKEN: token, STORE_API_URL: address });
    } catch (error) {
      const reason = reasonOf(error);
      cancel(reason === "EEXIST" ? says.exists : says.notWritten(reason));
      exit(1);
    }
    line.success(lines(says.written));
    line.step(lines(says.invite));
    // On a line of its own, so that a terminal recognises the whole link.
    process.stdout.write(`\n${inviteLink(identity.applicationId)}\n\n`);
    outro(says.goesOn);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    cancel(says.cancelled);
    interrupt();
  } finally {
    process.off("SIGINT", interrupt);
  }
}
