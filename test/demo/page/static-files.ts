import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { dirname, extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The page's empty import map, which is filled in. */
const emptyMap = '<script type="importmap">{}';

/** The page's own files are beside its first script. */
const browserDirectory = dirname(fileURLToPath(new URL("./browser/main.js", import.meta.url)));
const componentsPackage = "@skyra/discord-components-core";

/** As the file `from` would import the package. */
function directoryOf(name: string, from: string): string {
  const file = findPackageJSON(name, from);
  if (file === undefined) throw new Error(`${name} is not installed: run npm ci`);
  return dirname(file);
}

/**
 * Finds the web components and the libraries that they import by name. A browser knows no package names, so the import map
 * gives the address of each.
 */
function packages() {
  const components = directoryOf(componentsPackage, import.meta.filename);
  const lit = directoryOf("lit", join(components, "package.json"));
  const directories: Readonly<Record<string, string>> = {
    [componentsPackage]: components,
    lit,
    "@lit/context": directoryOf("@lit/context", join(components, "package.json")),
    "lit-html": directoryOf("lit-html", join(lit, "package.json")),
    "lit-element": directoryOf("lit-element", join(lit, "package.json")),
    "@lit/reactive-element": directoryOf("@lit/reactive-element", join(lit, "package.json")),
  };
  const entries: Readonly<Record<string, string>> = {
    lit: "index.js",
    "@lit/context": "index.js",
    "lit-html": "lit-html.js",
    "@lit/reactive-element": "reactive-element.js",
  };
  const manifest = JSON.parse(readFileSync(join(components, "package.json"), "utf8")) as {
    exports: Record<string, string>;
  };
  const exported = Object.entries(manifest.exports).map(([name, path]) => [
    join(componentsPackage, name),
    join(`/modules/${componentsPackage}`, path),
  ]);
  const imports = Object.fromEntries([
    ...exported,
    ...Object.entries(entries).map(([name, entry]) => [name, `/modules/${name}/${entry}`]),
    ...Object.keys(directories).map((name) => [`${name}/`, `/modules/${name}/`]),
  ]);
  return { directories, importMap: JSON.stringify({ imports }) };
}

/** The page's own files, and the packages that a browser has to load. */
export async function createStaticFiles() {
  const { directories, importMap } = packages();
  const own = new Set(await readdir(browserDirectory));
  const hash = createHash("sha256").update(importMap).digest("base64");

  const fileOf = (path: string): string | undefined => {
    const [, area, ...rest] = path.split("/");
    if (area === "page")
      return rest.length === 1 && own.has(rest[0] ?? "") ? join(browserDirectory, ...rest) : undefined;
    const name = Object.keys(directories).find((known) => path.startsWith(`/modules/${known}/`));
    const directory = name === undefined ? undefined : directories[name];
    if (name === undefined || directory === undefined) return undefined;
    const file = normalize(join(directory, path.slice(`/modules/${name}/`.length)));
    return file.startsWith(directory + sep) && extname(file) === ".js" ? file : undefined;
  };

  return {
    /** Only this server's files are loaded or run, but pictures of products may come from anywhere. */
    contentSecurityPolicy: [
      "default-src 'none'",
      `script-src 'self' 'sha256-${hash}'`,
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' https: data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),

    /** By a path of the address. */
    async read(path: string): Promise<{ readonly bytes: Buffer; readonly contentType: string } | undefined> {
      if (path === "/") {
        const html = await readFile(join(browserDirectory, "index.html"), "utf8");
        return {
          bytes: Buffer.from(html.replace(emptyMap, () => `${emptyMap.slice(0, -2)}${importMap}`)),
          contentType: types[".html"] ?? "",
        };
      }
      const file = fileOf(path);
      const contentType = file === undefined ? undefined : types[extname(file)];
      if (file === undefined || contentType === undefined) return undefined;
      return readFile(file).then(
        (bytes) => ({ bytes, contentType }),
        () => undefined,
      );
    },
  };
}
