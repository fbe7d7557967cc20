// Preloaded into a bot (NODE_OPTIONS=--import=…): at its end it prints what it loaded, as one line of JSON. In JavaScript,
// for what strips types is among the things that are looked for.
import { writeSync } from "node:fs";
import { getCompileCacheDir, registerHooks } from "node:module";

const files = [];
registerHooks({
  load(url, context, nextLoad) {
    files.push(url);
    return nextLoad(url, context);
  },
});
process.on("exit", () => {
  const loaded = { files, builtin: process.moduleLoadList, compileCache: getCompileCacheDir() };
  writeSync(1, `${JSON.stringify({ loaded })}\n`);
});
