import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const documents = globSync(["*.md", "docs/**/*.md"], { cwd: root }).map((path) => join(root, path));
const textOf = (path: string) => readFileSync(path, "utf8");

/** What stands in code is no heading and no link. */
const prose = (text: string) =>
  text.replace(/^ *```.*?^ *```/gms, "").replace(/`[^`\n]*`/g, (code) => code.slice(1, -1));

/** Anchors of headings, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = [...prose(textOf(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) => {
      const anchor = heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\- _]/gu, "")
        .replaceAll(" ", "-");
      const before = seen.get(anchor) ?? 0;
      seen.set(anchor, before + 1);
      return before === 0 ? anchor : `${anchor}-${before}`;
    }),
  );
}

/** Links of a document that lead nowhere. */
function deadLinks(path: string, text = textOf(path)): string[] {
  const links = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? path : join(dirname(path), file);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !(statSync(target).isFile() && anchorsOf(target).has(anchor));
  });
}

it.each(documents.map((path) => relative(root, path)))("%s has no link that leads nowhere", (path) => {
  expect(deadLinks(join(root, path))).toEqual([]);
});

it("finds a link to a file or a heading that is gone", () => {
  const path = join(root, "README.md");
  expect(deadLinks(path, "[a](docs/gone.md) [b](docs/operate.md#gone) [c](#more) [d](https://example.com)")).toEqual([
    "docs/gone.md",
    "docs/operate.md#gone",
  ]);
});
