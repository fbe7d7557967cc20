import { codeOf, reasonOf } from "../basics/reason.ts";
import { sqlitePath } from "./sqlite-path.ts";

/** The storage's file or host, without a password. */
export const storagePlace = (url: string): string => sqlitePath(url) ?? URL.parse(url)?.host ?? "memory";

/** The first match counts. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/another program|no file/, "give STORAGE_URL the name of another file"],
  [/not a database|malformed|disk image/, "if the file is broken, restore a backup (npm run restore)"],
  [/database is locked/, "end the program that has locked the file"],
  [/ENOSPC|is full/, "make room on its disk"],
  [/EACCES|EPERM|EROFS|readonly|unable to open/, "let the user of the bot write the file and its directory"],
  [/WRONGPASS|NOAUTH|28P01|28000|SASL/, "correct user and password in STORAGE_URL"],
  [/may not create|NOPERM|42501/, "give this user the right: GRANT CREATE ON SCHEMA public TO …, or in Redis an ACL"],
  [/3D000/, "create this database (CREATE DATABASE … OWNER …), or correct its name in STORAGE_URL"],
  [/DB index/, "correct the number of the database at the end of STORAGE_URL"],
  [/LOADING|57P03/, "wait until the server has started"],
  [/53300|max number of clients/, "let the server take more connections, or end programs that use them"],
  [/CERT|SSL|TLS/, "correct the certificate of the server, or how STORAGE_URL asks for TLS"],
  [/^E[A-Z]+ |timeout/, "check STORAGE_URL, that the server runs there, and that this machine may connect to it"],
];

export function storageRemedy(error: unknown): string {
  if (error instanceof Error && error.cause !== undefined) return storageRemedy(error.cause);
  const { code, errstr } = error as { code?: unknown; errstr?: unknown };
  const text = `${code} ${storageReason(error)} ${errstr}`;
  return remedies.find(([pattern]) => pattern.test(text))?.[1] ?? "check STORAGE_URL";
}

/** Names errors of the operating system by their code, and those of databases by their `message`. */
export function storageReason(error: unknown): string {
  if (error instanceof Error && error.cause !== undefined) return storageReason(error.cause);
  if (!(error instanceof Error)) return String(error);
  if ("errstr" in error && typeof error.errstr === "string") return `${error.message}: ${error.errstr}`;
  const isSystem = /^E[A-Z]+$/.test(String(codeOf(error)));
  return isSystem || error.message === "" ? reasonOf(error) : error.message;
}
