import type { Submission } from "../../src/discord/commands/define-command.ts";
import { type Uploads, uploadMax } from "../../src/discord/commands/uploads.ts";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import { StoreError } from "../../src/store-api/store-error.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";

type Inventory = NewProduct["inventory"];

/**
 * Number of consecutive letters and digits that count as a piece of the stock. Shorter pieces appear in any sentence by
 * chance.
 */
const tellingLength = 4;

/**
 * Whether the content is mostly control characters, and so not a text. As JSON, a text gets at most twice as long.
 * Control characters get six times as long, which is more than a person may store.
 */
const isMostlyEscapes = (content: string) => Buffer.byteLength(JSON.stringify(content)) > 2 * uploadMax + 2;

/**
 * Reads the stock that was typed or uploaded in the window, if any. Throws a `ProblemError` if it cannot be accepted.
 */
export async function stockIn(
  { fields, files }: Submission,
  uploads: Uploads,
): Promise<Pick<Inventory, "content" | "fileName"> | undefined> {
  const typed = fields.stock ?? "";
  const [file] = files["stock-file"] ?? [];
  if (file === undefined) return typed.trim() === "" ? undefined : { content: typed };
  if (typed.trim() !== "") throw new ProblemError({ code: "stock_twice" });
  const content = await uploads.readText(file, "stock");
  if (content.trim() === "" || content.includes("\0") || isMostlyEscapes(content)) {
    throw new ProblemError({ code: "stock_not_text" });
  }
  return { content, fileName: file.filename };
}

/**
 * Makes the stock as it is sent: a file unchanged; typed serials without the blank lines before and after them, which
 * are there by accident.
 */
export function stockAsSent(inventory: Inventory): Inventory {
  const { type, content, fileName } = inventory;
  if (type !== "SERIAL" || content === undefined || fileName !== undefined) return inventory;
  const lines = content.split("\n");
  const isFilled = (line: string) => line.trim() !== "";
  const kept = lines.slice(lines.findIndex(isFilled), lines.findLastIndex(isFilled) + 1);
  return { ...inventory, content: kept.join("\n") };
}

/**
 * Calls `isSuch` for each four consecutive letters or digits of the text, packed into one number, and returns whether
 * it accepts one. Case and all other characters are ignored. A character beyond ASCII counts with its low 8 bits only,
 * so different texts may have the same number.
 */
function hasWindow(text: string, isSuch: (window: number) => boolean): boolean {
  const lower = text.toLowerCase();
  let window = 0;
  let length = 0;
  for (let at = 0; at < lower.length; at++) {
    const code = lower.charCodeAt(at);
    const isTelling = (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127;
    if (!isTelling) continue;
    window = (window << 8) | (code & 255);
    length++;
    if (length >= tellingLength && isSuch(window)) return true;
  }
  return false;
}

/**
 * Removes the API's own words from an error if they may contain stock. The API may repeat a refused value in its own
 * spelling, and stock is never shown again and never logged. The words are removed if the stock contains any four
 * consecutive letters or digits of them. For a large stock that is almost always so.
 */
export function withoutStock(error: StoreError, { content = "" }: Inventory): StoreError {
  const said = new Set<number>();
  hasWindow(error.detail ?? "", (window) => {
    said.add(window);
    return false;
  });
  const repeats = said.size > 0 && hasWindow(content, (window) => said.has(window));
  return repeats ? new StoreError(error.code, "product", { retryAfterMs: error.retryAfterMs }) : error;
}
