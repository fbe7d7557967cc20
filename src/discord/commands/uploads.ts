import { ProblemError } from "../../views/parts/problem.ts";

/** An uploaded file: its URL at Discord, and its size in bytes. */
export interface Upload {
  readonly url: string;
  readonly size: number;
}

export interface Uploads {
  /** Reads a text file of at most `maxBytes`. Throws {@link UploadError}. */
  readText(upload: Upload, maxBytes: number): Promise<string>;
}

type UploadErrorCode = "foreign_host" | "too_large" | "not_text" | "unreadable";

/** Why an uploaded file was not read. */
export class UploadError extends Error {
  readonly code: UploadErrorCode;
  constructor(code: UploadErrorCode) {
    super(`upload not read: ${code}`);
    this.name = "UploadError";
    this.code = code;
  }
}

const discordFileHosts: ReadonlySet<string> = new Set(["cdn.discordapp.com", "media.discordapp.net"]);
const deadlineMs = 15_000;

/**
 * Reads uploads only from Discord's file hosts, or from the host of `apiUrl` if that is another server. The URL comes
 * with the interaction, so it cannot be trusted.
 */
export function createUploads(deps: { apiUrl: string; read?: typeof fetch | undefined }): Uploads {
  const { apiUrl, read = fetch } = deps;
  const api = new URL(apiUrl);
  const isTrusted = (url: URL) =>
    (url.protocol === "https:" && discordFileHosts.has(url.hostname)) ||
    (api.hostname !== "discord.com" && url.hostname === api.hostname && url.protocol === api.protocol);

  return {
    async readText(upload, maxBytes) {
      const url = URL.parse(upload.url);
      if (!url || !isTrusted(url)) throw new UploadError("foreign_host");
      if (upload.size > maxBytes) throw new UploadError("too_large");
      let bytes: Uint8Array;
      try {
        const response = await read(url, { redirect: "error", signal: AbortSignal.timeout(deadlineMs) });
        if (!response.ok || !response.body) throw new UploadError("unreadable");
        bytes = await readUpTo(response.body, maxBytes);
      } catch (error) {
        throw error instanceof UploadError ? error : new UploadError("unreadable");
      }
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      } catch {
        throw new UploadError("not_text");
      }
    },
  };
}

/** Size limit of a file with stock or products, in bytes. */
export const uploadMax = 1_048_576;

/**
 * Reads an uploaded file of at most {@link uploadMax} bytes. Throws a `ProblemError` if the file cannot be read or is
 * too large.
 */
export async function uploadedText(uploads: Uploads, file: Upload, kind: "stock" | "import"): Promise<string> {
  try {
    return await uploads.readText(file, uploadMax);
  } catch (error) {
    if (!(error instanceof UploadError)) throw error;
    const why = error.code === "foreign_host" || error.code === "unreadable" ? "unread" : error.code;
    throw new ProblemError({ code: `${kind}_${why}` });
  }
}

async function readUpTo(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new UploadError("too_large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
