import type { Submission } from "../../src/discord/commands/define-command.ts";
import { type Uploads, uploadMax } from "../../src/discord/commands/uploads.ts";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import { StoreError } from "../../src/store-api/store-error.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";

type Inventory = NewProduct["inventory"];

/** This many equal letters and digits in a row may show a part of the stock. Fewer may be equal by chance. */
const tellingLength = 4;
/** In characters. */
const longestCompared = 10_000;

/**
 * JSON at most doubles the length of ordinary text. But it writes most control characters as six characters, so a draft with
 * many of them could take more space than a person may use.
 */
const isMostlyEscapes = (content: string) => Buffer.byteLength(JSON.stringify(content)) > 2 * uploadMax + 2;

/** Undefined if there is no file. Throws a `ProblemError` if the file cannot be accepted. */
export async function uploadedStock(
  { fields, files }: Submission,
  uploads: Uploads,
): Promise<Pick<Inventory, "content" | "fileName"> | undefined> {
  const [file] = files["stock-file"] ?? [];
  if (file === undefined) return undefined;
  if (fields.stock?.trim()) throw new ProblemError({ code: "stock_twice" });
  const content = await uploads.readText(file, "stock");
  if (content.trim() === "" || content.includes("\0") || isMostlyEscapes(content)) {
    throw new ProblemError({ code: "stock_not_text" });
  }
  return { content, fileName: file.filename };
}

/** Typed serials lose the blank lines before and after them. */
export function stockAsSent(inventory: Inventory): Inventory {
  const { type, content, fileName } = inventory;
  if (type !== "SERIAL" || content === undefined || fileName !== undefined) return inventory;
  const lines = content.split("\n");
  const isFilled = (line: string) => line.trim() !== "";
  const kept = lines.slice(lines.findIndex(isFilled), lines.findLastIndex(isFilled) + 1);
  return { ...inventory, content: kept.join("\n") };
}

/** Only letters and digits are compared, because the API may change the rest of a value. */
const squeezed = (text: string) => text.toLowerCase().replace(/[^a-z0-9\u0080-\uffff]/g, "");

/**
 * Stock is never logged, and never shown to people. So the API's message is removed if it has four consecutive letters or
 * digits of the stock. If the stock is too long to compare, the message is removed, too.
 */
export function withoutStock(error: StoreError, { content = "" }: Inventory): StoreError {
  const said = squeezed(error.detail ?? "");
  const pieces = Array.from({ length: Math.max(said.length - tellingLength + 1, 0) }, (_, at) =>
    said.slice(at, at + tellingLength),
  );
  const stock = squeezed(content.slice(0, longestCompared));
  const repeats = content.length > longestCompared || pieces.some((piece) => stock.includes(piece));
  return repeats ? new StoreError(error.code, "product", { retryAfterMs: error.retryAfterMs }) : error;
}
