import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openTerminal } from "../support/terminal.ts";

const program = join(import.meta.dirname, "../support/hang-on-request.js");
const children: ChildProcessWithoutNullStreams[] = [];

async function startWatched() {
  const child = spawn(process.execPath, [program]);
  children.push(child);
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += data;
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  return { child, exited, errors: () => errors };
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

test("a process whose event loop hangs says so and ends, and one that was merely stopped for as long goes on", async () => {
  const hanging = await startWatched();
  const stopped = await startWatched();
  stopped.child.stdin.write("work\n");
  await once(stopped.child.stdout, "data");
  stopped.child.kill("SIGSTOP");

  hanging.child.stdin.write("hang\n");
  const [, signal] = await hanging.exited;
  stopped.child.kill("SIGCONT");
  stopped.child.stdin.write("alive\n");
  const [answer] = await Promise.race([once(stopped.child.stdout, "data"), stopped.exited]);

  expect(signal).toBe("SIGKILL");
  expect(hanging.errors()).toBe(
    "The event loop has hung for 3 s: the process ends itself. Nothing is lost; start it again.\n",
  );
  expect(String(answer)).toBe("alive\n");
  expect(stopped.errors()).toBe("");
});

test("a process that hangs on a terminal that stands still ends all the same", async () => {
  await using terminal = openTerminal([process.execPath, program], { cwd: import.meta.dirname, env: {} });
  await terminal.shows("watched");

  // Ctrl-S: from here on the terminal takes nothing.
  terminal.type("\u0013write\n");

  expect(await terminal.exited).toBe(128 + constants.signals.SIGKILL);
});
