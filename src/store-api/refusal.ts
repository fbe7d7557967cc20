import { z } from "zod";

const DETAIL_LENGTH = 200;

// The document does not show error bodies: these are the places where such services put their words.
const words = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join("; "))]).catch("");
const refusalSchema = z.object({
  message: words,
  error: z
    .union([z.string().transform((message) => ({ message, code: "" })), z.object({ message: words, code: words })])
    .catch({ message: "", code: "" }),
  code: z.union([z.string(), z.number()]).catch(""),
  statusCode: z.number().catch(0),
});

/** What the API says about a refusal. */
export interface Refusal {
  readonly code: "unauthorized" | "not_found" | "invalid";
  readonly detail?: string;
}

const UNAUTHORIZED = /^(40[13]|unauthori[sz]ed|forbidden)\.?$/i;
const NOT_FOUND = /^(404|(order |product )?not[ _]found)\.?$/i;

/**
 * Reads the body of a refusal. Only a body that says nothing else than "unauthorized" or "not found" counts as such: a
 * sentence about a category that was not found is the answer to give on.
 *
 * @param secret is struck out of the detail, should the API repeat it
 */
export function readRefusal(body: unknown, secret: string): Refusal {
  const parsed = refusalSchema.safeParse(body);
  if (!parsed.success) return { code: "invalid" };
  const { message, error, code, statusCode } = parsed.data;
  const said = [String(code), String(statusCode), message, error.code, error.message];
  if (said.some((part) => UNAUTHORIZED.test(part))) return { code: "unauthorized" };
  if (said.some((part) => NOT_FOUND.test(part))) return { code: "not_found" };
  const detail = cleanDetail((message || error.message || error.code).replaceAll(secret, "…"));
  return detail === "" ? { code: "invalid" } : { code: "invalid", detail };
}

/** One line of at most 200 characters, without markup, mentions or control characters. */
export function cleanDetail(message: string): string {
  const line = message
    .slice(0, 20 * DETAIL_LENGTH)
    .replace(/<[^<>]*>/g, " ")
    .replace(/[\p{C}\p{Z}\s]+/gu, " ")
    .replace(/[<>*`~|\\]/g, "")
    .replaceAll("](", "] (")
    .trim();
  const characters = [...line];
  return characters.length <= DETAIL_LENGTH ? line : `${characters.slice(0, DETAIL_LENGTH - 1).join("")}…`;
}
