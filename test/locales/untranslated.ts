import { readdir } from "node:fs/promises";

const folderOf = (language: string) => new URL(`../../src/locales/${language}/`, import.meta.url);

/** Texts by their full keys. The text of a function is its source. */
function flat(group: object, at = ""): [key: string, text: string][] {
  return Object.entries(group).flatMap(([key, value]): [string, string][] =>
    typeof value === "object" && value !== null ? flat(value, `${at}${key}.`) : [[at + key, String(value)]],
  );
}

/** By "<file> <full key>". A folder that does not exist has no texts. */
async function textsIn(language: string): Promise<Map<string, string>> {
  const files = await readdir(folderOf(language)).catch((): string[] => []);
  const topics = files.filter((file) => file.endsWith(".ts") && file !== "index.ts" && file !== "plural.ts").sort();
  const read = async (file: string) => {
    const topic: object = await import(new URL(file, folderOf(language)).href);
    return flat(topic).map(([key, text]) => [`${file} ${key}`, text] as const);
  };
  return new Map((await Promise.all(topics.map(read))).flat());
}

export interface Untranslated {
  /** Number of texts in English. */
  readonly all: number;
  readonly missing: readonly string[];
  /** Texts that are the same as in English, as in a copied folder. A few may be right. */
  readonly unchanged: readonly string[];
  /** Texts that English does not have. */
  readonly surplus: readonly string[];
}

/**
 * What is left to translate in a folder of `src/locales/`, with names and descriptions of commands. Throws if a file cannot
 * be imported. A folder that does not exist lacks everything.
 */
export async function untranslated(language: string): Promise<Untranslated> {
  const [english, theirs] = [await textsIn("en"), await textsIn(language)];
  const keys = [...english.keys()];
  return {
    all: keys.length,
    missing: keys.filter((key) => !theirs.has(key)),
    unchanged: keys.filter((key) => theirs.get(key) === english.get(key)),
    surplus: [...theirs.keys()].filter((key) => !english.has(key)),
  };
}
