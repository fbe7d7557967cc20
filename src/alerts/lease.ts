import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "../operations/log.ts";
import type { Table } from "../storage/table.ts";

/** Who polls, as it stands in storage. */
export interface LeaseHolder {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** Epoch ms of the last renewal. */
  readonly at: number;
}

/** One process polls on one storage: two of them, started by mistake, would both send. */
export interface Lease {
  /** Whether this process holds it now. */
  held(): boolean;
  /** Takes the lease if nobody else holds it, and keeps trying and renewing until it ends. Never rejects. */
  begin(): Promise<void>;
  /** Renews it no more. Released, another process can go on at once; otherwise when the 15 s are over. */
  end(how: { release: boolean }): Promise<void>;
}

const key = "polls";
const keptMs = 15_000;
const renewEveryMs = 5_000;
/** Two processes that write at the same time both see who wrote last. */
const settleMs = 100;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * A lease of 15 s in storage, renewed every 5 s. It makes a second process stand by; what keeps an alert from being
 * doubled in the moment of a change are the ledger and the nonce.
 */
export function createLease({ table, log }: { table: Table<LeaseHolder>; log: Log }): Lease {
  const me = { id: randomUUID(), host: hostname(), pid: process.pid };
  let heldUntil = 0;
  let warned = false;
  let timer: NodeJS.Timeout | undefined;

  /** A holder on this machine whose process is gone was killed. */
  const isGone = (other: LeaseHolder) =>
    Date.now() - other.at > keptMs || (other.host === me.host && !isRunning(other.pid));

  async function renew() {
    const other = await table.get(key);
    if (other && other.id !== me.id && !isGone(other)) {
      heldUntil = 0;
      if (!warned) {
        const { host, pid } = other;
        log.warn(
          { host, pid },
          "another process polls on this storage already: this one sends no alerts until that one ends",
        );
        warned = true;
      }
      return;
    }
    const at = Date.now();
    await table.set(key, { ...me, at });
    if (other?.id !== me.id) {
      await wait(settleMs);
      if ((await table.get(key))?.id !== me.id) return;
      if (warned) log.info({}, "this process sends the alerts from now on");
      warned = false;
    }
    heldUntil = at + keptMs;
  }

  const attempt = () =>
    renew().catch((error: unknown) => log.warn({ err: error }, "could not renew the right to poll; trying again"));

  return {
    held: () => Date.now() < heldUntil,
    async begin() {
      await attempt();
      timer = setInterval(() => void attempt(), renewEveryMs);
    },
    async end({ release }) {
      clearInterval(timer);
      if (release && Date.now() < heldUntil) await table.delete(key);
      heldUntil = 0;
    },
  };
}
