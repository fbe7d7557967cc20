import { apiErrors } from "./errors.ts";
import type { UploadedPart } from "./model.ts";

/** Docs: Reference, "Uploading Files": 10 MiB for each file, and 10 files in a request. */
const largestFile = 10 * 1024 * 1024;
const mostFiles = 10;

async function parseForm(bytes: Buffer, contentType: string): Promise<{ body: unknown; files: UploadedPart[] }> {
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } }).formData();
  const files: UploadedPart[] = [];
  let body: unknown = {};
  for (const [field, value] of form) {
    if (typeof value !== "string") {
      const part = Buffer.from(await value.arrayBuffer());
      files.push({ field, name: value.name, contentType: value.type || "application/octet-stream", bytes: part });
    } else if (field === "payload_json") body = JSON.parse(value);
  }
  if (files.length > mostFiles || files.some(({ bytes: { length } }) => length > largestFile))
    throw apiErrors.tooLarge();
  return { body, files };
}

/** JSON, or a form with JSON in `payload_json` and files. Throws an `ApiError`, as Discord answers. */
export async function parseBody(bytes: Buffer, contentType: string): Promise<{ body: unknown; files: UploadedPart[] }> {
  if (bytes.length === 0) return { body: undefined, files: [] };
  try {
    if (contentType.startsWith("multipart/form-data")) return await parseForm(bytes, contentType);
    if (contentType.startsWith("application/json")) return { body: JSON.parse(bytes.toString("utf8")), files: [] };
  } catch (error) {
    throw error instanceof SyntaxError || error instanceof TypeError ? apiErrors.invalidJson() : error;
  }
  throw apiErrors.invalidContentType();
}
