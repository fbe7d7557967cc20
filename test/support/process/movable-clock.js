// Preloaded into a bot (NODE_OPTIONS=--import=…). The bot's wall clock differs from the real one by CLOCK_OFFSET_MS. At
// SIGUSR2, the difference becomes the milliseconds in the file CLOCK_FILE. The monotonic clock and all timers are not changed.
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
