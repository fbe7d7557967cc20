import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Log } from "../basics/log.ts";

const run = promisify(execFile);
/** It waits up to 5 s by itself for systemd to have heard. */
const longestTellMs = 10_000;

/** What systemd asks of the process that it starts. */
export interface ServiceManagerSettings {
  /** `NOTIFY_SOCKET`: a path, or an abstract name that begins with `@`. */
  readonly socket: string;
  /** How long it may hear nothing, from `WATCHDOG_USEC`. */
  readonly watchdogMs: number | undefined;
}

/** Tells systemd how the process is. Nothing here rejects. */
export interface ServiceManager {
  ready(): void;
  stopping(): void;
  /** Resolves when all was told; nothing is told any more. */
  end(): Promise<void>;
}

/**
 * By `systemd-notify`, which is wherever systemd is, for Node itself has no sockets of that kind: a child of a few
 * milliseconds twice in each time that systemd waits. The unit has to allow it: `NotifyAccess=all`.
 */
export function createServiceManager(
  { socket, watchdogMs }: ServiceManagerSettings,
  log: Pick<Log, "warn">,
): ServiceManager {
  let last: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isWarned = false;
  let isBeating = false;

  /** The child gets nothing else of the environment: there are tokens in it. */
  async function send(state: string) {
    try {
      await run("systemd-notify", [state], { env: { NOTIFY_SOCKET: socket }, timeout: longestTellMs });
    } catch (error) {
      if (isWarned) return;
      isWarned = true;
      log.warn(
        { err: error },
        "systemd could not be told that the process is well, and may end it: is systemd-notify installed, and NotifyAccess=all in the unit?",
      );
    }
  }

  function tell(state: string): Promise<void> {
    last = last.then(() => send(state));
    return last;
  }

  async function beat() {
    if (isBeating) return;
    isBeating = true;
    await tell("WATCHDOG=1");
    isBeating = false;
  }

  return {
    ready() {
      void tell("READY=1");
      if (watchdogMs !== undefined) timer = setInterval(() => void beat(), watchdogMs / 2).unref();
    },
    stopping() {
      clearInterval(timer);
      void tell("STOPPING=1");
    },
    async end() {
      clearInterval(timer);
      await last;
    },
  };
}
