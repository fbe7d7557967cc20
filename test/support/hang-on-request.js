// A process that is watched for hangs of three seconds. At "hang" on stdin it hangs; at "work" it is busy for so long that
// the watch notices, says "half", and goes on; at "write" it writes for ever; it repeats anything else.
import { writeSync } from "node:fs";
import { startHangWatch } from "../../src/operations/hang-watch.ts";

/** In processor time, which stands still while the process is stopped. */
function work(ms) {
  const used = () => process.threadCpuUsage().user / 1_000;
  for (const from = used(); used() - from < ms; );
}

startHangWatch(console, 3_000, 20);
process.stdin.on("data", (data) => {
  const word = String(data).trim();
  if (word === "hang") for (;;);
  if (word === "write") for (;;) writeSync(1, "a line\n");
  if (word !== "work") return process.stdout.write(data);
  work(80);
  writeSync(1, "half\n");
  work(80);
});
process.stdout.write("watched\n");
