import { fileSignature } from "./api-objects.ts";
import type { Attachment, UploadedPart } from "./model.ts";

/** The files that were uploaded, and where they can be fetched. */
export function createFiles(deps: { now: () => number; nextId: () => string; filesUrl: () => string }) {
  const { now, nextId, filesUrl } = deps;
  const files = new Map<string, { bytes: Buffer; contentType: string }>();
  const attachments = new Map<string, Attachment>();

  const storeFile = (channelId: string, name: string, bytes: Buffer, contentType: string): Attachment => {
    const id = nextId();
    const safe = name.replaceAll(/[^\w.-]/g, "_") || "file";
    const path = `/attachments/${channelId}/${id}/${safe}`;
    files.set(path, { bytes, contentType });
    const expires = Math.floor(now() / 1000 + 86_400).toString(16);
    const url = `${filesUrl()}${path}?ex=${expires}&is=${Math.floor(now() / 1000).toString(16)}&hm=${fileSignature(path)}`;
    const image = contentType.startsWith("image/") ? { width: 64, height: 64 } : {};
    const attachment: Attachment = {
      id,
      filename: safe,
      ...(safe === name ? {} : { title: name }),
      size: bytes.length,
      url,
      proxy_url: url,
      content_type: contentType,
      ...image,
    };
    attachments.set(id, attachment);
    return attachment;
  };

  return {
    files,
    attachments,
    storeFile,
    /** Keeps the parts of a request as attachments of a channel. */
    storeParts: (channelId: string, parts: readonly UploadedPart[]): Attachment[] =>
      parts.map((part) => storeFile(channelId, part.name, part.bytes, part.contentType)),
  };
}
