import { isUtf8 } from "node:buffer";
import { uploadMebibytes } from "../../basics/limits/limits-in-texts.ts";
import { readBytes } from "../../basics/read-bytes.ts";
import { ProblemError } from "../../views/parts/problem.ts";

export interface Upload {
  readonly url: string;
  readonly size: number;
}

export type Uploads = ReturnType<typeof createUploads>;

/** Bytes. */
export const uploadMax = uploadMebibytes * 1024 ** 2;

const discordFileHosts: ReadonlySet<string> = new Set(["cdn.discordapp.com", "media.discordapp.net"]);
const deadlineMs = 15_000;

/**
 * The URL of an upload comes with the interaction, so it cannot be trusted. Uploads are read only from Discord's file hosts,
 * and from the host of `apiUrl` if that host is not Discord's.
 */
export function createUploads(deps: { apiUrl: string; read?: typeof fetch | undefined }) {
  const { apiUrl, read = fetch } = deps;
  const api = new URL(apiUrl);
  const isTrusted = (url: URL) =>
    (url.protocol === "https:" && discordFileHosts.has(url.hostname)) ||
    (api.hostname !== "discord.com" && url.hostname === api.hostname && url.protocol === api.protocol);

  async function bytesAt(url: URL): Promise<Buffer | undefined> {
    const response = await read(url, { redirect: "error", signal: AbortSignal.timeout(deadlineMs) });
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
    return readBytes(response.body, uploadMax);
  }

  return {
    /** Throws a `ProblemError` if the file cannot be read, is not text, or is larger than {@link uploadMax}. */
    async readText(upload: Upload, kind: "stock" | "import"): Promise<string> {
      const refused = (why: "unread" | "too_large" | "not_text") => new ProblemError({ code: `${kind}_${why}` });
      const url = URL.parse(upload.url);
      if (!url || !isTrusted(url)) throw refused("unread");
      if (upload.size > uploadMax) throw refused("too_large");
      const bytes = await bytesAt(url).catch(() => {
        throw refused("unread");
      });
      if (!bytes) throw refused("too_large");
      if (!isUtf8(bytes)) throw refused("not_text");
      return new TextDecoder().decode(bytes);
    },
  };
}
