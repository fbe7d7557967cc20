// The other thread of hang-watch.ts. In JavaScript, for Node would have to load its stripper of types a second time here.
import { write } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { workerData } from "node:worker_threads";

const { shared, longestMs, lookEveryMs } = workerData;
const beats = new Int32Array(shared);
let last = Atomics.load(beats, 0);
let silentMs = 0;
let lookedAt = performance.now();

/** The sentence goes out at once, or nobody reads what the process writes (a full pipe, a terminal that stands still). */
const longestWriteMs = 1_000;

function end() {
  process.kill(process.pid, "SIGKILL");
  // Only the first process of a container is still there: it takes no signal from inside, but a trap of its own.
  setFlagsFromString("--allow-natives-syntax");
  new Function("%SystemBreak()")();
}

const looks = setInterval(() => {
  const now = performance.now();
  // A look that is late shows that this thread did not run either.
  const ranMs = Math.min(now - lookedAt, 2 * lookEveryMs);
  lookedAt = now;
  const present = Atomics.load(beats, 0);
  silentMs = present === last ? silentMs + ranMs : 0;
  last = present;
  if (silentMs < longestMs) return;
  clearInterval(looks);
  const seconds = Math.round(silentMs / 1_000);
  setTimeout(end, longestWriteMs);
  write(
    2,
    `The event loop has hung for ${seconds} s: the process ends itself. Nothing is lost; start it again.\n`,
    end,
  );
}, lookEveryMs);
