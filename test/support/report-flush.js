// Loaded before a process: says when it writes what was compiled.
import module, { syncBuiltinESMExports } from "node:module";

const { flushCompileCache } = module;
module.flushCompileCache = () => {
  flushCompileCache();
  process.stdout.write('{"flushed":true}\n');
};
syncBuiltinESMExports();
