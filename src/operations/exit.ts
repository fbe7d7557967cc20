import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Ends the process at once with this exit code.
 *
 * Node's own `process.exit` waits for its compiler threads. If the heap has just filled up, such a thread waits until
 * the main thread has collected garbage. The main thread no longer does that, so the process never ends
 * (https://github.com/nodejs/node/issues/54918, seen with 24.21). With free heap no thread waits, so this function
 * collects garbage first.
 */
export function exit(code: number): never {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  process.exit(code);
}
