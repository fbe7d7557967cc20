import { hash } from "node:crypto";

/** An id in 8 bytes of memory: 52 bits of its digest. */
export const idHash = (id: string): number => Number.parseInt(hash("sha1", id, "hex").slice(0, 13), 16);
