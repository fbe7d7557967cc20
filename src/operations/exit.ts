import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Node's own `process.exit` never ends if a compiler thread waits for free heap (https://github.com/nodejs/node/issues/54918,
 * seen with 24.21). So this function collects garbage first.
 */
export function exit(code: number): never {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  process.exit(code);
}
