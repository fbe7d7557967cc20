import { notInFuture } from "../storage/data-record.ts";

/** How far the clocks of this machine and of Discord may differ when a message is looked for. */
const clockMarginMs = 10 * 60_000;

/** From when on to look through a channel for what was sent at one of these times or later. All are epoch ms. */
export const searchSince = (times: readonly number[], now: number): number =>
  Math.min(...times.map((at) => notInFuture(at, now))) - clockMarginMs;
