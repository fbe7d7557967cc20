import type { IncomingMessage } from "node:http";
import { apiErrors, invalidForm } from "./errors.ts";
import type { UploadedPart } from "./model.ts";

/** Docs: Reference, "Uploading Files": 10 MiB for each file; and a request takes 10 of them. */
const MAX_FILE = 10 * 1024 * 1024;
const MAX_FILES = 10;

/** All bytes of a request. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw apiErrors.invalidJson();
  }
}

async function parseForm(bytes: Buffer, contentType: string): Promise<{ body: unknown; files: UploadedPart[] }> {
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } })
    .formData()
    .catch(() => Promise.reject(apiErrors.invalidJson()));
  const files: UploadedPart[] = [];
  let body: unknown;
  for (const [field, value] of form) {
    if (typeof value === "string") {
      if (field === "payload_json") body = parseJson(value);
    } else {
      const part = Buffer.from(await value.arrayBuffer());
      files.push({ field, name: value.name, contentType: value.type || "application/octet-stream", bytes: part });
    }
  }
  if (files.length > MAX_FILES || files.some(({ bytes: { length } }) => length > MAX_FILE)) throw apiErrors.tooLarge();
  return { body: body ?? {}, files };
}

/** JSON, or a form with JSON in `payload_json` and files. Throws an `ApiError` as Discord answers. */
export async function parseBody(bytes: Buffer, contentType: string): Promise<{ body: unknown; files: UploadedPart[] }> {
  if (bytes.length > MAX_FILE * (MAX_FILES + 1)) throw apiErrors.tooLarge();
  if (bytes.length === 0) return { body: undefined, files: [] };
  if (!contentType.startsWith("multipart/form-data")) {
    if (contentType.startsWith("application/json")) return { body: parseJson(bytes.toString("utf8")), files: [] };
    throw invalidForm([
      {
        path: ["_misc"],
        code: "CONTENT_TYPE_INVALID",
        message: 'Expected "Content-Type" header to be one of {"application/json","multipart/form-data"}.',
      },
    ]);
  }
  return parseForm(bytes, contentType);
}
