/** Each row has five commas, colons and opening brackets. All rows have just less than the 250,000 that the bot accepts. */
const ROWS = 49_000;
const BYTES = 4 * 1024 * 1024;
const ID_LENGTH = 27;

/**
 * The largest page of orders that the bot reads, for the `body` of a rule: exactly 4 MiB. Its orders have only id and status.
 * `prefix` begins every id, so that two pages can have different ids.
 */
export function crowdedPage(prefix = "crowd"): Buffer {
  const rows = Array.from(
    { length: ROWS },
    (_, index) => `{"id":"${prefix}${String(index).padStart(ID_LENGTH - prefix.length, "0")}","status":"PENDING"}`,
  );
  const [head, tail] = [`{"success":true,"data":{"orders":[${rows.join(",")}],"lastPage":1},"filler":"`, '"}'];
  const room = BYTES - Buffer.byteLength(head) - tail.length;
  if (room < 0) throw new Error(`the rows are ${-room} bytes more than a page has`);
  return Buffer.from(`${head}${"x".repeat(room)}${tail}`);
}
