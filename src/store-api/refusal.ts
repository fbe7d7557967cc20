import { z } from "zod";

const detailLength = 200;

/** Error bodies nest no deeper; a hostile one does. */
const mostLevels = 4;
const mostLines = 20;

/** Its fields are not looked at: `z.record` takes some 0.3 s for 120,000 of them. */
const record = z
  .custom<Readonly<Record<string, unknown>>>((value) => value instanceof Object && !Array.isArray(value))
  .catch({});
const label = z.union([z.string(), z.number().transform(String)]).catch("");

/** What the API says about a refusal. */
export interface Refusal {
  readonly code: "unauthorized" | "not_found" | "invalid";
  /** Its own words, cleaned; absent when they say no more than the code. */
  readonly detail?: string;
}

const unauthorized = /^(40[13]|unauthori[sz]ed|forbidden)\.?$/i;
const notFound = /^(404|(order |product )?not[ _]found)\.?$/i;

/**
 * Reads the body of a refusal. Only a body that says nothing else than "unauthorized" or "not found", or has such a
 * code, counts as such: a sentence about a category that was not found is the answer to give on.
 *
 * @param secret is struck out of the detail, should the API repeat it
 */
export function readRefusal(body: unknown, secret: string): Refusal {
  const fields = record.parse(body);
  const error = record.parse(fields.error);
  const message = wordsOf(body);
  const said = [fields.code, fields.statusCode, error.code, fields.error, message].map((part) => label.parse(part));
  const code = said.some((part) => unauthorized.test(part))
    ? "unauthorized"
    : said.some((part) => notFound.test(part))
      ? "not_found"
      : "invalid";
  const detail = cleanDetail((message || label.parse(error.code)).replaceAll(secret, "…"));
  const saysNoMore = detail === "" || unauthorized.test(detail) || notFound.test(detail);
  return saysNoMore ? { code } : { code, detail };
}

/**
 * The words of an error body. The document does not show any: these are the places where such services put them. No
 * other field is read, because it may repeat what was sent, the goods among it.
 */
function wordsOf(value: unknown, level = 0): string {
  // An error page in place of a sentence.
  if (typeof value === "string") return /<(!doctype|html|head|body)\b/i.test(value) ? "" : value.trim();
  if (typeof value !== "object" || value === null || level > mostLevels) return "";
  const words = (part: unknown) => wordsOf(part, level + 1);
  if (Array.isArray(value)) return joined(value.slice(0, mostLines).map(words));
  const fields = record.parse(value);
  const sentence = [fields.message, fields.msg, fields.detail, fields.error].map(words).find((part) => part !== "");
  // A message is often a mere heading ("Validation failed") of the list beside it.
  const own = joined([sentence ?? "", words(fields.errors)]);
  return own || (level === 0 ? words(record.parse(fields.data).message) : listed(fields)) || words(fields.title);
}

/** `{ field: ["what is wrong with it"] }` */
function listed(fields: Readonly<Record<string, unknown>>): string {
  const lines = z.array(z.string());
  const said: string[] = [];
  for (const field in fields) {
    const { data = [] } = lines.safeParse(fields[field]);
    const text = wordsOf(data.slice(0, mostLines));
    if (said.push(text === "" ? "" : `${field}: ${text}`) >= mostLines) break;
  }
  return joined(said);
}

const joined = (parts: readonly string[]) => [...new Set(parts.filter((part) => part !== ""))].join("; ");

/** One line of at most 200 characters, without markup, mentions or control characters. */
export function cleanDetail(message: string): string {
  const line = message
    .slice(0, 20 * detailLength)
    .replace(/<[^<>]*>/g, " ")
    .replace(/[\p{C}\p{Z}\s]+/gu, " ")
    .replace(/[<>*`~|\\]/g, "")
    .replaceAll("](", "] (")
    .trim();
  const characters = [...line];
  return characters.length <= detailLength ? line : `${characters.slice(0, detailLength - 1).join("")}…`;
}
