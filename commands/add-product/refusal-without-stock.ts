import type { NewProduct } from "../../src/store-api/schemas.ts";
import { StoreError } from "../../src/store-api/store-error.ts";

/** This many equal letters and digits in a row may show a part of the stock. Fewer may be equal by chance. */
const tellingLength = 4;
/** In characters. */
const longestCompared = 10_000;

/** Only letters and digits are compared, because the API may change the rest of a value. */
const squeezed = (text: string) => text.toLowerCase().replace(/[^a-z0-9\u0080-\uffff]/g, "");

/**
 * Stock is never logged, and never shown to people. So the API's message is removed if it has four consecutive letters or
 * digits of the stock. If the stock is too long to compare, the message is removed, too.
 */
export function withoutStock(error: StoreError, { content = "" }: NewProduct["inventory"]): StoreError {
  const said = squeezed(error.detail ?? "");
  const pieces = Array.from({ length: Math.max(said.length - tellingLength + 1, 0) }, (_, at) =>
    said.slice(at, at + tellingLength),
  );
  const stock = squeezed(content.slice(0, longestCompared));
  const repeats = content.length > longestCompared || pieces.some((piece) => stock.includes(piece));
  return repeats ? new StoreError(error.code, "product", { retryAfterMs: error.retryAfterMs }) : error;
}
