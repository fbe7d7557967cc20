// What `npm start` runs: src/main.ts, with what Node made of every file at the last start (types stripped, code compiled).
// In JavaScript, for Node would have to load its stripper of types to read this file itself.
import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";

// Who can write there can write the code beside it, too. Where it cannot be written, starts are slower and no more.
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/shopbell"));
await import("./main.ts");
// Node itself writes at the end of the process, which a kill leaves out.
flushCompileCache();
