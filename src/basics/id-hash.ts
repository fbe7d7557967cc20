import { hash } from "node:crypto";

/** 52 bits of the id's SHA-1 hash: a number takes less memory than an id. */
export const idHash = (id: string): number => Number.parseInt(hash("sha1", id, "hex").slice(0, 13), 16);
