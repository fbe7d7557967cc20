import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const ownFiles = join(import.meta.dirname, "browser");
const nodeModules = join(import.meta.dirname, "../../../node_modules");
/** The packages in the page's import map: the web components, and the libraries that they import. */
const packages = [
  "@skyra/discord-components-core",
  "lit",
  "lit-element",
  "lit-html",
  "@lit/context",
  "@lit/reactive-element",
];

/** Undefined if there is nothing at this path of an address, which has no `..` because `URL` resolves them. */
function fileOf(path: string): string | undefined {
  const [, area, ...rest] = path.split("/");
  const name = rest.join("/");
  if (path === "/") return join(ownFiles, "index.html");
  if (area === "page" && rest.length === 1) return join(ownFiles, name);
  const isModule = area === "modules" && packages.some((known) => name.startsWith(`${known}/`));
  return isModule && extname(name) === ".js" ? join(nodeModules, name) : undefined;
}

/** The page's own files, and the packages that a browser has to load. */
export async function createStaticFiles() {
  const html = await readFile(join(ownFiles, "index.html"), "utf8");
  const [, importMap = ""] = /<script type="importmap">(.*?)<\/script>/s.exec(html) ?? [];
  const hash = createHash("sha256").update(importMap).digest("base64");

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
      const file = fileOf(path);
      const contentType = types[extname(file ?? "")];
      if (file === undefined || contentType === undefined) return undefined;
      return readFile(file).then(
        (bytes) => ({ bytes, contentType }),
        () => undefined,
      );
    },
  };
}
