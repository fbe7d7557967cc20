import { printable } from "../basics/printable.ts";
import { reasonOf } from "../basics/reason.ts";
import type { Config } from "../config.ts";
import { secretFiles } from "../guilds/secret-keys.ts";
import { looseFiles } from "../operations/file-modes.ts";
import { probeStore } from "../store-api/probe-store.ts";
import { duration, type Examined, fromLine, ok, type Result, warn, wrong } from "./finding.ts";

/** Reports settings that work but could be better, and files with secrets that other users may open. */
export async function checkSettings(config: Config): Promise<Examined<never>> {
  const loose = await looseFiles(secretFiles(config.storageUrl));
  const warnings = [...config.warnings, ...loose].map((line) => fromLine("warn", line));
  return { results: [ok("every variable can be used"), ...warnings] };
}

/** The remedy for a failed connection, by the error name of Node or the system. */
function remedyFor(reason: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(reason))
    return "check STORE_API_URL in .env for a typing error, and this machine's DNS";
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(reason))
    return "its certificate is not accepted: check STORE_API_URL, this machine's clock, or ask those who run the store";
  return "check STORE_API_URL in .env, and that this machine may connect to it (firewall, proxy)";
}

/** Checks whether a store's API is at the address, with one request without a token. The value is true if there is one. */
export async function checkStore(baseUrl: string): Promise<Examined<true>> {
  const { host } = new URL(baseUrl);
  const probe = await probeStore(baseUrl);
  if (probe.kind === "none") {
    const reason = printable(probe.reason);
    return { results: [wrong(`${host} cannot be reached (${reason})`, remedyFor(reason))] };
  }
  if (probe.kind === "api") return { results: [ok(`${host} asks for a token, as a store's API does`)], value: true };
  const [says, remedy] =
    probe.status >= 500
      ? [
          `${host} answers with an error (${probe.status})`,
          "it is an error of the store: wait, alerts go on by themselves; if it lasts, ask those who run the store",
        ]
      : [
          `${host} answers ${probe.status} where a store's API asks for a token`,
          "correct STORE_API_URL in .env: the address of the API is often not that of the shop; see Settings, Open API, in the store's panel, or ask its provider",
        ];
  return { results: [wrong(says, remedy)] };
}

/** Checks whether the queue's Redis (QUEUE_URL) answers, takes writes and keeps its entries. */
export async function checkQueue(url: string): Promise<Result> {
  const { inspectRedis, redisProblem } = await import("../storage/redis-connection.ts");
  const { host } = new URL(url);
  try {
    const info = await inspectRedis(url);
    const problem = redisProblem(info, "QUEUE_URL");
    if (problem === undefined) return ok(`${host} answers (Redis ${printable(info.version ?? "unknown", 20)})`);
    // Lost jobs are made again, but a replica takes none.
    return fromLine(info.isReplica ? "wrong" : "warn", `${host}: ${problem}`);
  } catch (error) {
    const remedy = "check QUEUE_URL, that Redis runs there, and that this machine may connect to it";
    return wrong(`${host} cannot be used (${printable(reasonOf(error))})`, remedy);
  }
}

/**
 * Smallest difference for a warning. A smaller one can come from a slow answer, or from the whole seconds of the `Date` header.
 */
const clockWarnMs = 30_000;
/** Smallest difference for an error. Kerberos and many signed requests accept no larger one. */
const clockWrongMs = 5 * 60_000;

/** Judges this machine's clock. `aheadMs` is how far Discord's clock is ahead of it; negative if it is behind. */
export function checkClock(aheadMs: number): Result {
  const ms = Math.abs(aheadMs);
  if (ms < clockWarnMs) return ok(`within ${clockWarnMs / 1_000} s of Discord's`);
  const says = `this machine's clock is ${duration(ms)} ${aheadMs > 0 ? "behind" : "ahead of"} Discord's`;
  const remedy = "let the machine set its clock by itself, on Linux: timedatectl set-ntp true";
  return ms < clockWrongMs ? warn(says, remedy) : wrong(says, remedy);
}
