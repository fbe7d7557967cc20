import type { Submission } from "../../src/discord/commands/define-command.ts";
import { type Uploads, uploadMax } from "../../src/discord/commands/uploads.ts";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";

type Inventory = NewProduct["inventory"];

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
