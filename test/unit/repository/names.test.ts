import { glob, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

/** Each language of the texts exports the same names. */
const languages = /^src\/locales\/[^/]+\//;
/** An exported declaration; re-exports declare nothing. */
const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm;
const several = /^export const \{([^}]*)\}/gm;

/** Names that are exported more than once, with their files. */
async function doubles(): Promise<string[]> {
  const filesOf = new Map<string, string[]>();
  for await (const file of glob(["src/**/*.ts", "commands/**/*.ts"])) {
    if (languages.test(file)) continue;
    const text = await readFile(file, "utf8");
    const names = [
      ...[...text.matchAll(declaration)].flatMap(([, name]) => name ?? []),
      ...[...text.matchAll(several)].flatMap(([, list = ""]) => list.split(",").map((name) => name.trim())),
    ];
    // A type and a value of one name, or the overloads of a function, are one thing in one file.
    for (const name of new Set(names)) filesOf.set(name, [...(filesOf.get(name) ?? []), file]);
  }
  // With fewer names, files were not read. There were 1,160 when this was written.
  expect(filesOf.size).toBeGreaterThan(700);
  return [...filesOf].flatMap(([name, files]) => (files.length > 1 ? [`${name}: ${files.sort().join(", ")}`] : []));
}

it("every name that the product exports is declared once, and means one thing in the whole tree", async () => {
  expect(await doubles()).toEqual([]);
});
