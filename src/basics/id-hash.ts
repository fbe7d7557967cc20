import { hash } from "node:crypto";

/** Turns an id into a number of 8 bytes, to save memory: 52 bits of its digest. */
export const idHash = (id: string): number => Number.parseInt(hash("sha1", id, "hex").slice(0, 13), 16);
