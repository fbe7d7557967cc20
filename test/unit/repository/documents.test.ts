import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";
import { dataVersion } from "../../../src/storage/prepare-data.ts";

const root = resolve(import.meta.dirname, "../../..");
const documents = globSync(["*.md", "docs/**/*.md"], { cwd: root }).map((path) => join(root, path));
const textOf = (path: string) => readFileSync(path, "utf8");

/** Code has no headings and no links. */
const prose = (text: string) =>
  text.replace(/^ *```.*?^ *```/gms, "").replace(/`[^`\n]*`/g, (code) => code.slice(1, -1));

/** As GitHub makes them. */
const anchorsOf = (path: string) =>
  [...prose(textOf(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, "")
      .replaceAll(" ", "-"),
  );

function deadLinks(path: string, text = textOf(path)): string[] {
  const links = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? path : join(dirname(path), file);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !(statSync(target).isFile() && anchorsOf(target).includes(anchor));
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

const sources = globSync(["src/**/*.{ts,js}", "commands/**/*.ts", "test/**/*.ts"], { cwd: root });
const product = sources
  .filter((path) => !path.startsWith("test/"))
  .map((path) => textOf(join(root, path)))
  .join("\n");

it.each(["CONTRIBUTING.md", "docs/architecture.md", "docs/simulation.md", "docs/adr"])(
  "files that %s names are there",
  (path) => {
    const texts = globSync([path, `${path}/*.md`], { cwd: root }).filter((found) => found.endsWith(".md"));
    const named = texts.flatMap((found) =>
      [...textOf(join(root, found)).matchAll(/`([\w./-]+\.(?:ts|js))`/g)].map(([, name]) => name),
    );
    const missing = named.filter((name = "") => !sources.some((source) => `/${source}`.endsWith(`/${name}`)));
    // A package, and the command that CONTRIBUTING.md shows how to add.
    const others = /^discord\.js$|ping-store/;
    expect(missing.filter((name = "") => !others.test(name))).toEqual([]);
  },
);

it("lines of the log that operating explains are lines that the bot prints", () => {
  const [, log = ""] = /^## Log\n(.*?)^## /ms.exec(textOf(join(root, "docs/operate.md"))) ?? [];
  const rows = [...log.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)]);
  const parts = rows.flatMap(([, line = ""]) => line.split("…").map((part) => part.replace(/[ ;:,]+$/, "").trim()));
  expect(parts.length).toBeGreaterThan(20);
  expect(parts.filter((part) => part !== "msg" && !product.includes(part))).toEqual([]);
});

it("tables that operating lists are tables of the storage, and none is left out", () => {
  const [, kept = ""] = /^## What is kept, and where\n(.*?)^## /ms.exec(textOf(join(root, "docs/operate.md"))) ?? [];
  const cells = [...kept.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = ""]) => cell);
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)(?::…)?`/g)].map(([, name = ""]) => name)).sort();
  const shapes = product.matchAll(
    /(?:TableShape|SessionKind)<.*?> =(?:> \()? ?\{\s*(?:\.\.\.\w+, )?name: ["`]([a-z-]+)/gs,
  );
  expect(listed).toEqual([...new Set([...shapes].map(([, name = ""]) => name))].sort());
});

it("operating has a row for each setting of .env.example", () => {
  const named = [...textOf(join(root, "docs/operate.md")).matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
  const settings = [...textOf(join(root, ".env.example")).matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(settings.length).toBeGreaterThan(10);
  expect(named.sort()).toEqual(settings.sort());
});

it("operating says what the first start does for each version of the data", () => {
  const versions = [...textOf(join(root, "docs/operate.md")).matchAll(/^\| (\d+) \|/gm)].map(([, version]) =>
    Number(version),
  );
  expect(versions).toEqual(Array.from({ length: dataVersion - 1 }, (_, index) => index + 2));
});

it("the changelog says which version converts the data as the code does: operators end all processes only if it says so", () => {
  expect(textOf(join(root, "CHANGELOG.md"))).toContain(`converts the data to version ${dataVersion}`);
});
