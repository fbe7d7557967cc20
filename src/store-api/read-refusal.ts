import { z } from "zod";

const detailLength = 200;

/** Greatest depth at which an error body is read. */
const mostLevels = 4;
const mostLines = 20;

/** `z.record` would take about 0.3 s for 120,000 fields. */
const record = z
  .custom<Readonly<Record<string, unknown>>>((value) => value instanceof Object && !Array.isArray(value))
  .catch({});
const label = z.union([z.string(), z.number().transform(String)]).catch("");

export interface Refusal {
  readonly code: "unauthorized" | "not_found" | "invalid";
  /** The API's message, cleaned. Undefined if the message says no more than the code. */
  readonly detail: string | undefined;
}

const unauthorized = /^(40[13]|unauthori[sz]ed|forbidden)\.?$/i;
const notFound = /^(404|(order |product )?not[ _]found)\.?$/i;

/**
 * If a code in the body or the whole message says so, the result is "unauthorized" or "not_found", otherwise "invalid".
 *
 * @param secret is removed from the detail, because the API may repeat the secret
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
  return { code, detail: saysNoMore ? undefined : detail };
}

/**
 * The API's document does not describe an error body, so this function reads the fields that similar services use. Other fields
 * at the top level are not read, because they may repeat what was sent, for example the stock.
 */
function wordsOf(value: unknown, level = 0): string {
  if (typeof value === "string") return /<(!doctype|html|head|body)\b/i.test(value) ? "" : value.trim();
  if (typeof value !== "object" || value === null || level > mostLevels) return "";
  const words = (part: unknown) => wordsOf(part, level + 1);
  if (Array.isArray(value)) return joined(value.slice(0, mostLines).map(words));
  const fields = record.parse(value);
  const sentence = [fields.message, fields.msg, fields.detail, fields.error].map(words).find((part) => part !== "");
  // If the message is only a heading ("Validation failed"), the reasons are often in the list `errors`.
  const own = joined([sentence ?? "", words(fields.errors)]);
  return own || (level === 0 ? words(record.parse(fields.data).message) : listed(fields)) || words(fields.title);
}

/** Errors by field: `{ field: ["what is wrong with it"] }` */
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

/** One line of at most 200 characters, without tags, control characters and most other markup. */
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
