import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Log } from "../basics/log.ts";
import type { Shutdown } from "./shutdown.ts";

const run = promisify(execFile);
/** systemd-notify itself waits up to 5 s until systemd has read the message. */
const notifyTimeoutMs = 10_000;

/** systemd gives these to the process it starts. */
export interface SystemdSettings {
  /** `NOTIFY_SOCKET`: a path, or an abstract name that begins with `@`. */
  readonly socket: string;
  /** The longest silence that systemd accepts, from `WATCHDOG_USEC`. */
  readonly watchdogMs: number | undefined;
}

/**
 * Reports to systemd that the process is ready, is alive, or is ending. The program `systemd-notify` sends each message,
 * because Node has no Unix datagram sockets. It is a child process, so the unit needs `NotifyAccess=all`.
 *
 * @returns a function that reports that the process is ready, and from then on sends a sign of life every `watchdogMs / 2`
 */
export function connectSystemd(
  { socket, watchdogMs }: SystemdSettings,
  { log, shutdown }: { readonly log: Pick<Log, "warn">; readonly shutdown: Shutdown },
): () => void {
  let last: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isWarned = false;

  /** The child process gets only one variable of the environment, because others hold tokens. */
  async function send(state: string) {
    try {
      await run("systemd-notify", [state], { env: { NOTIFY_SOCKET: socket }, timeout: notifyTimeoutMs });
    } catch (error) {
      if (isWarned) return;
      isWarned = true;
      log.warn(
        { err: error },
        "could not report to systemd, which may end this process: is systemd-notify installed, and NotifyAccess=all in the unit?",
      );
    }
  }

  function notify(state: string) {
    last = last.then(() => send(state));
  }

  shutdown.add({ systemd: () => last });
  shutdown.signal.addEventListener("abort", () => {
    clearInterval(timer);
    notify("STOPPING=1");
  });
  return () => {
    notify("READY=1");
    if (watchdogMs !== undefined) timer = setInterval(() => notify("WATCHDOG=1"), watchdogMs / 2).unref();
  };
}
