/** Why a request got no answer, in a few words: those of the innermost cause. The outer errors only say "fetch failed". */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  // Discord's client throws this for the pages that proxies answer with.
  if (error instanceof TypeError) return "an answer that cannot be understood";
  const { code, status } = error as { code?: unknown; status?: unknown };
  if (typeof code === "string") return code;
  return typeof status === "number" ? `HTTP ${status}` : error.message;
}
