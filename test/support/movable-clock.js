// Preloaded into a bot (NODE_OPTIONS=--import=…): its wall clock is CLOCK_OFFSET_MS milliseconds from the real one, and from
// SIGUSR2 on as many as stand in the file CLOCK_FILE. The monotonic clock and all timers go on.
import { readFileSync } from "node:fs";

const realNow = Date.now;
let offsetMs = Number(process.env.CLOCK_OFFSET_MS);
Date.now = () => realNow() + offsetMs;
globalThis.Date = new Proxy(Date, {
  construct: (date, given, newTarget) => Reflect.construct(date, given.length === 0 ? [Date.now()] : given, newTarget),
});

process.on("SIGUSR2", () => {
  offsetMs = Number(readFileSync(process.env.CLOCK_FILE, "utf8"));
  console.log(`the wall clock is ${offsetMs} ms off`);
});
