import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

const onPath = (process.env.PATH ?? "").split(delimiter);

/** Whether this machine has what telling systemd, and hearing it in systemd's place, takes. */
export const notifyInstalled = ["systemd-notify", "python3"].every((program) =>
  onPath.some((directory) => existsSync(join(directory, program))),
);

/** A stand-in for systemd's ear. */
export interface NotifySocket extends Disposable {
  /** What came so far, without the barriers by which `systemd-notify` learns that it was read. */
  readonly told: readonly string[];
}

/**
 * Listens where `NOTIFY_SOCKET` points: Node has no sockets of that kind.
 *
 * @param name a path, or an abstract name that begins with `@`
 */
export async function listenAsSystemd(name: string): Promise<NotifySocket> {
  const child = spawn("python3", [join(import.meta.dirname, "notify-socket.py"), name]);
  const told: string[] = [];
  const lines = createInterface({ input: child.stdout });
  await once(lines, "line");
  lines.on("line", (line) => {
    if (line !== "" && line !== "BARRIER=1") told.push(line);
  });
  return { told, [Symbol.dispose]: () => void child.kill() };
}
