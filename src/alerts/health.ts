import type { StoreErrorCode } from "../store-api/store-error.ts";
import type { Blockage } from "./deliver.ts";

/** What went wrong last, in a word that the views have a sentence for. */
export type Trouble = StoreErrorCode | Blockage | "undecryptable" | "storage" | "refused" | "undelivered" | "internal";

/** How polling one server goes: in memory, and new with each process. Times are epoch ms. */
export interface Health {
  lastPollAt?: number;
  /** When the store was last read without a fault. */
  lastGoodAt?: number;
  lastError?: { readonly trouble: Trouble; readonly at: number };
  /** Reads of the store that failed in a row, and when the next one is due. */
  storeFailures: number;
  storeWaitsUntil: number;
  /** The same for a channel that refused messages. */
  channelFailures: number;
  channelWaitsUntil: number;
}

/** What has to survive a restart so that the owner is told once and no more. */
export interface TroubleRecord {
  readonly storeDownSince?: number;
  readonly storeDownTold?: boolean;
  readonly blocked?: { readonly reason: Blockage; readonly since: number; readonly told: boolean };
}

/** A store that was down this long is worth a notice. */
export const storeDownNoticeMs = 10 * 60_000;
const longestWaitMs = 5 * 60_000;
const firstWaitMs = 1_000;

/** Nothing tried yet, nothing failed. */
export function newHealth(): Health {
  return { storeFailures: 0, storeWaitsUntil: 0, channelFailures: 0, channelWaitsUntil: 0 };
}

/**
 * How long to wait after so many failures in a row: doubling from 1 s to 5 minutes, of which a random half, so that
 * servers whose stores failed together do not come back together.
 *
 * @param random from 0 to 1
 */
export function waitAfter(failures: number, random: number): number {
  const full = Math.min(firstWaitMs * 2 ** Math.min(failures, 20), longestWaitMs);
  return full / 2 + (full / 2) * random;
}
