// A process with a log. At "flood" on stdin it logs 1.5 MB. Then it writes a line to stderr, which shows that the log does not
// block it. On a terminal, it writes no such line, and suspends its parent, which reads the terminal, while it logs the 1.5 MB.
// At "end" it logs a last line and exits with code 3.
import { createLog } from "../../../src/operations/log.ts";

const terminal = process.stdout.isTTY;
const log = createLog("info");
process.stdin.on("data", (data) => {
  const word = String(data).trim();
  if (word === "end") {
    log.fatal({}, "the last line");
    process.exit(3);
  }
  if (terminal) process.kill(process.ppid, "SIGSTOP");
  for (let count = 0; count < 1_500; count++) log.info({ count }, "a line".padEnd(1_000, "."));
  setImmediate(() => {
    if (terminal) process.kill(process.ppid, "SIGCONT");
    else process.stderr.write("turns\n");
  });
});
log.info({ server: "Shop\u001b[2J\u009b31m\u202e!" }, "ready");
