import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Ends the process at once, with this exit code.
 *
 * Node's own `process.exit` waits for the threads that compile, and where the heap has just filled up one of these waits
 * until the main thread has collected garbage, which it does not do any more: the process then stays for ever
 * (https://github.com/nodejs/node/issues/54918, seen with 24.21). With room in the heap none of them waits.
 */
export function exit(code: number): never {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  process.exit(code);
}
