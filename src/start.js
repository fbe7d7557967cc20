// Loads src/main.ts, or with the argument `doctor` the doctor: that must also tell what is wrong with an older Node. In
// JavaScript, because for TypeScript Node would load its type stripper; the other files come from the compile cache.
// `node:module` is imported as a whole: an older Node lacks the function, but must get as far as the message of check-node.js.
import "./basics/check-node.js";
import module from "node:module";
import { join } from "node:path";

// Only users who can write the code itself can write there. If the folder cannot be written, starts are slower, but work.
module.enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/shopbell"));
const [word] = process.argv.slice(2);
if (word === "--help" || word === "-h") {
  console.log(
    "npm start runs the bot with the settings of the environment and of .env in this folder; on a terminal without a .env it asks for them. It takes no argument: docs/commands.md has every setting, and npm run doctor says what does not work.",
  );
} else await import(word === "doctor" ? "./tools/doctor.ts" : "./main.ts");
