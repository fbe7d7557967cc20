import { type Finding, ok, warn, wrong } from "./finding.ts";

/** How far another's clock is ahead of this machine's, in ms; below 0 it is behind. */
export interface ClockDifference {
  readonly whose: "Discord" | "the store";
  readonly ms: number;
}

/** What a slow answer, and a `Date` header in whole seconds, may make of clocks that agree. */
const toldMs = 30_000;
/** Kerberos and many signed requests allow as much; after it, times that people read are plainly wrong. */
const wrongMs = 5 * 60_000;

function long(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** @param differences Discord's first, where it is known: it is the one that is believed */
export function checkClock(differences: readonly ClockDifference[]): Finding {
  const [first] = differences;
  const worst = differences.toSorted((one, other) => Math.abs(other.ms) - Math.abs(one.ms))[0];
  if (first === undefined || worst === undefined) throw new Error("nobody's clock is known");
  const names = differences.map(({ whose }) => whose).join(" and ");
  if (Math.abs(worst.ms) < toldMs) return ok("Clock", `within ${toldMs / 1_000} s of ${names}`);
  if (worst !== first && Math.abs(first.ms) < toldMs) {
    const says = `the store's clock is ${long(worst.ms)} ${worst.ms > 0 ? "ahead" : "behind"}; this machine's is right`;
    return warn("Clock", says, "tell those who run the store; no alert is lost, but delays are shown wrong");
  }
  const says = `this machine's clock is ${long(worst.ms)} ${worst.ms > 0 ? "behind" : "ahead of"} ${worst.whose}`;
  const remedy = "let the machine set its clock by itself, on Linux: timedatectl set-ntp true";
  return Math.abs(worst.ms) < wrongMs ? warn("Clock", says, remedy) : wrong("Clock", says, remedy);
}
