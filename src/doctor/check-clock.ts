import { duration, ok, type Result, warn, wrong } from "./finding.ts";

/** A smaller difference can come from a slow answer, or from the whole seconds of the `Date` header. */
const clockWarnMs = 30_000;
/** Kerberos and many signed requests accept no larger difference. */
const clockWrongMs = 5 * 60_000;

/** `aheadMs` is Discord's time minus this machine's time. */
export function checkClock(aheadMs: number): Result {
  const ms = Math.abs(aheadMs);
  if (ms < clockWarnMs) return ok(`within ${clockWarnMs / 1_000} s of Discord's`);
  const says = `this machine's clock is ${duration(ms)} ${aheadMs > 0 ? "behind" : "ahead of"} Discord's`;
  const remedy = "let the machine set its clock by itself, on Linux: timedatectl set-ntp true";
  return ms < clockWrongMs ? warn(says, remedy) : wrong(says, remedy);
}
