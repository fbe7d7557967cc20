import { parseArgs } from "node:util";
import { untranslated } from "./untranslated.ts";

/** `npm run texts -- --missing xx` lists what is left to translate in `src/locales/xx`. */
const { missing: language } = parseArgs({ options: { missing: { type: "string" } } }).values;

function print(title: string, keys: readonly string[]) {
  if (keys.length > 0) console.log([`${title}: ${keys.length}`, ...keys.map((key) => `  ${key}`), ""].join("\n"));
}

if (language === undefined) {
  console.log("npm run texts -- --missing xx    prints what is left to translate in src/locales/xx");
} else {
  const left = await untranslated(language);
  print("Missing", left.missing);
  print("The same as in English, which is right for a few", left.unchanged);
  print("Not in English", left.surplus);
  console.log(`src/locales/${language} has ${left.all - left.missing.length} of ${left.all} texts.`);
}
