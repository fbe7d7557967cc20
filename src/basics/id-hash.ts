import { hash } from "node:crypto";

/** Turns an id into a number (52 bits of the id's SHA-1 hash), because a number takes less memory. */
export const idHash = (id: string): number => Number.parseInt(hash("sha1", id, "hex").slice(0, 13), 16);
