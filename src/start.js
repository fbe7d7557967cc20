// Loads src/main.ts, or the doctor. If Node is older than 24, check-node.js prints a message and ends the process. An older
// Node may lack `enableCompileCache`, and an import of this name would fail before the message. So `node:module` is imported as
// a whole. This file is JavaScript, because the compile cache is not on yet: for a TypeScript file, Node would have to load its
// type stripper.
import "./basics/check-node.js";
import module from "node:module";
import { join } from "node:path";

// Only users who may change the code may write to this folder. If the bot's user is not one of them, its starts are slower.
module.enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/shopbell"));
const [word] = process.argv.slice(2);
if (word === "--help" || word === "-h") {
  console.log(
    "npm start runs the bot with the settings of the environment and of .env in this folder; on a terminal without a .env it asks for them. It takes no argument: docs/operate.md has every setting, and npm run doctor says what does not work.",
  );
} else if (word === "doctor") await import("./tools/doctor.ts");
else {
  // While the modules load, there is nothing to end. Later, endAtSignals (src/operations/shutdown.ts) takes over.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => process.exit(0));
  await import("./main.ts");
}
