import { reasonOf } from "../basics/reason.ts";
import { sqlitePath } from "./sqlite-path.ts";

/** Names the storage of an address for the person who runs the bot: its file or its host, without a password. */
export const storagePlace = (url: string): string => sqlitePath(url) ?? URL.parse(url)?.host ?? "memory";

/**
 * Explains an error of the storage. Errors of the operating system are named by their code, those of databases by their
 * message.
 */
export function storageReason(error: unknown): string {
  if (error instanceof Error && error.cause !== undefined) return storageReason(error.cause);
  if (!(error instanceof Error)) return String(error);
  if ("errstr" in error && typeof error.errstr === "string") return `${error.message}: ${error.errstr}`;
  const isSystem = "code" in error && typeof error.code === "string" && /^E[A-Z]+$/.test(error.code);
  return isSystem || error.message === "" ? reasonOf(error) : error.message;
}
