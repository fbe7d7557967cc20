import { printable } from "../basics/printable.ts";
import { reasonOf } from "../basics/reason.ts";
import type { Config } from "../config.ts";
import { secretFiles } from "../guilds/secret-keys.ts";
import { looseFiles } from "../operations/file-modes.ts";
import { probeStore, type StoreProbe } from "../store-api/probe-store.ts";
import { duration, ok, type Result, warn, wrong } from "./finding.ts";

/** Reports settings that work but could be better, and files with secrets that other users may open. */
export async function checkSettings(config: Config, keyFile: string): Promise<Result[]> {
  const loose = await looseFiles(secretFiles(config.storageUrl, keyFile));
  const warnings = [...config.warnings, ...loose].map((line) => {
    const [says = line, remedy = ""] = line.split("; ");
    return warn(says, remedy);
  });
  return [ok("every variable can be used"), ...warnings];
}

/** The remedy for a failed connection, by the error name of Node or the system. */
function remedyFor(reason: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(reason))
    return "check STORE_API_URL in .env for a typing error, and this machine's DNS";
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(reason))
    return "its certificate is not accepted: check STORE_API_URL, this machine's clock, or ask those who run the store";
  return "check STORE_API_URL in .env, and that this machine may connect to it (firewall, proxy)";
}

function judgeStore(host: string, probe: StoreProbe): Result {
  if (probe.kind === "none") {
    const reason = printable(probe.reason);
    return wrong(`${host} cannot be reached (${reason})`, remedyFor(reason));
  }
  if (probe.status >= 500) {
    const remedy =
      "it is an error of the store: wait, alerts go on by themselves; if it lasts, ask those who run the store";
    return wrong(`${host} answers with an error (${probe.status})`, remedy);
  }
  if (probe.kind === "api") return ok(`${host} asks for a token, as a store's API does`);
  const remedy =
    "correct STORE_API_URL in .env: the address of the API is often not that of the shop; see Settings, Open API, in the store's panel, or ask its provider";
  return wrong(`${host} answers ${probe.status} where a store's API asks for a token`, remedy);
}

/** Checks whether a store's API is at the address: its name, TLS, and an answer. One request, without a token. */
export async function checkStore(baseUrl: string): Promise<{ readonly result: Result; readonly probe: StoreProbe }> {
  const probe = await probeStore(baseUrl);
  return { result: judgeStore(new URL(baseUrl).host, probe), probe };
}

/**
 * Checks whether the queue's Redis answers and keeps its entries. The Redis client is loaded only if there is a queue.
 *
 * @param url QUEUE_URL
 */
export async function checkQueue(url: string): Promise<Result> {
  const { inspectRedis } = await import("../storage/redis-connection.ts");
  const { host } = new URL(url);
  try {
    const { version = "unknown", evictionPolicy } = await inspectRedis(url);
    const says = `${host} answers (Redis ${printable(version, 20)})`;
    if (evictionPolicy === undefined) return ok(says);
    const remedy = "set maxmemory-policy to noeviction there: what is thrown away are jobs of the polls";
    return warn(`${says}, but throws entries away when its memory is full`, remedy);
  } catch (error) {
    const remedy = "check QUEUE_URL, that Redis runs there, and that this machine may connect to it";
    return wrong(`${host} cannot be used (${printable(reasonOf(error))})`, remedy);
  }
}

/** How far another clock is ahead of this machine's clock, in ms; negative if it is behind. */
export interface ClockDifference {
  readonly whose: "Discord" | "the store";
  readonly ms: number;
}

/**
 * A difference between clocks is a warning from here on. A smaller one may be only a slow answer, and the `Date`
 * header, which has whole seconds.
 */
const clockWarnMs = 30_000;
/**
 * A difference is wrong from here on. Kerberos and many signed requests allow this much. Beyond it, the times that
 * people read are plainly wrong.
 */
const clockWrongMs = 5 * 60_000;

/**
 * Compares this machine's clock with others.
 *
 * @param differences at least one; Discord's comes first, if known, because it is the most reliable
 */
export function checkClock(differences: readonly ClockDifference[]): Result {
  const [first] = differences;
  const worst = differences.toSorted((one, other) => Math.abs(other.ms) - Math.abs(one.ms))[0];
  if (first === undefined || worst === undefined) throw new Error("no other clock is known");
  const names = differences.map(({ whose }) => whose).join(" and ");
  if (Math.abs(worst.ms) < clockWarnMs) return ok(`within ${clockWarnMs / 1_000} s of ${names}`);
  if (worst !== first && Math.abs(first.ms) < clockWarnMs) {
    const says = `the store's clock is ${duration(worst.ms)} ${worst.ms > 0 ? "ahead" : "behind"}; this machine's is right`;
    return warn(says, "tell those who run the store; no alert is lost, but delays are shown wrong");
  }
  const says = `this machine's clock is ${duration(worst.ms)} ${worst.ms > 0 ? "behind" : "ahead of"} ${worst.whose}`;
  const remedy = "let the machine set its clock by itself, on Linux: timedatectl set-ntp true";
  return Math.abs(worst.ms) < clockWrongMs ? warn(says, remedy) : wrong(says, remedy);
}
