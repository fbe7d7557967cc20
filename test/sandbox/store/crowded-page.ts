/** As many as fit into 8 MiB with an id and a status each. */
const ROWS = 148_000;
const BYTES = 8 * 1024 * 1024;
/** With the rest of a row it makes 56 bytes: 8 MiB over 148,000 rows. A uuid would not fit in. */
const ID_LENGTH = 27;

/**
 * One page of the order list with far more rows than anybody asks for: an answer in the document's shape, of exactly 8 MiB,
 * with 148,000 orders that have an id and a status and nothing else. Made once by this call, for the `body` of a rule.
 *
 * @param prefix begins every id, so that two pages can differ in all of their bytes that matter
 */
export function crowdedPage(prefix = "crowd", status = "PENDING"): Buffer {
  const rows = Array.from(
    { length: ROWS },
    (_, index) => `{"id":"${prefix}${String(index).padStart(ID_LENGTH - prefix.length, "0")}","status":"${status}"}`,
  );
  const [head, tail] = [`{"success":true,"data":{"orders":[${rows.join(",")}],"lastPage":1},"filler":"`, '"}'];
  const room = BYTES - Buffer.byteLength(head) - tail.length;
  if (room < 0) throw new Error(`the rows are ${-room} bytes more than a page has`);
  return Buffer.from(`${head}${"x".repeat(room)}${tail}`);
}
