/** Such as "ENOENT" (Node) or "42P01" (PostgreSQL). */
export const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

/** Explains an error in a few words. It uses the innermost cause, because the outer errors often say only "fetch failed". */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  // Discord's client throws one of these if a proxy answers with an HTML page.
  if (error instanceof TypeError || error instanceof SyntaxError) return "an answer that cannot be understood";
  const { code, status } = error as { code?: unknown; status?: unknown };
  if (typeof code === "string") return code;
  return typeof status === "number" ? `HTTP ${status}` : error.message;
}
