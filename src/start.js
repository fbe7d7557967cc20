// What `npm start` runs: src/main.ts, with what Node made of every file at the last start (types stripped, code compiled).
// With the word `doctor`, what `npm run doctor` runs: it is to say what is wrong with an older Node, too.
// In JavaScript, for Node would have to load its stripper of types to read this file itself.
// The module as a whole, for an older Node lacks the two functions, and has to come as far as the sentence below.
import module from "node:module";
import { join } from "node:path";

const oldest = 24;
if (Number.parseInt(process.versions.node, 10) < oldest) {
  console.error(
    `Shopbell needs Node.js ${oldest} or later, and this is ${process.versions.node}. "npm ci" (without --omit=dev) brings the right one, and "npm start" uses it.`,
  );
  process.exit(1);
}

// Who can write there can write the code beside it, too. Where it cannot be written, starts are slower and no more.
module.enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/shopbell"));
const [word] = process.argv.slice(2);
if (word === "--help" || word === "-h") {
  console.log(
    "npm start runs the bot with the settings of the environment and of .env in this folder; on a terminal without a .env it asks for them. It takes no argument: docs/commands.md has every setting, and npm run doctor says what does not work.",
  );
} else await import(word === "doctor" ? "./tools/doctor.ts" : "./main.ts");
