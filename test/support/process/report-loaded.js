// Preloaded into a bot (NODE_OPTIONS=--import=…): it prints a line of JSON when the bot writes its compile cache, and one
// with the loaded files at the end. It is JavaScript, because loading TypeScript would load Node's stripper of types.
import { writeSync } from "node:fs";
import module, { getCompileCacheDir, registerHooks, syncBuiltinESMExports } from "node:module";

const print = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
const { flushCompileCache } = module;
module.flushCompileCache = () => {
  flushCompileCache();
  print({ flushed: true });
};
syncBuiltinESMExports();

const files = [];
registerHooks({
  load(url, context, nextLoad) {
    files.push(url);
    return nextLoad(url, context);
  },
});
process.on("exit", () => {
  print({ loaded: { files, builtin: process.moduleLoadList, compileCache: getCompileCacheDir() } });
});
