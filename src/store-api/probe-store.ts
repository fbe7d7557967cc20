import { reasonOf } from "../basics/reason.ts";
import { parseTime } from "./parse-time.ts";

/** What is at an address: what asks for a token; a server that does not; or nothing, with the reason as Node says it. */
export type StoreProbe =
  | {
      readonly kind: "api" | "other";
      readonly status: number;
      /** When the server says that it answered (its `Date` header), epoch ms. */
      readonly servedAt: number | undefined;
    }
  | { readonly kind: "none"; readonly reason: string };

/** A person waits, and a store that sleeps may need a while to its first answer. */
const deadlineMs = 10_000;
/** What an API says to somebody without a token (store-open-api 5), and what stands before it may say. */
const asksForToken: ReadonlySet<number> = new Set([401, 403]);

/**
 * Asks for the list of orders without a token, which every Open API refuses. Nothing of the answer is read but its head, and
 * no redirect is followed.
 *
 * @param baseUrl without `/open-api` and without a slash at the end
 */
export async function probeStore(baseUrl: string): Promise<StoreProbe> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${deadlineMs / 1_000} s`)), deadlineMs);
  try {
    const answer = await fetch(`${baseUrl}/open-api/checkout/order?limit=1`, {
      redirect: "manual",
      headers: { accept: "application/json" },
      signal: controller.signal,
    });
    const { status, headers } = answer;
    const servedAt = parseTime(headers.get("date") ?? "");
    return { kind: asksForToken.has(status) ? "api" : "other", status, servedAt };
  } catch (error) {
    return { kind: "none", reason: reasonOf(error) };
  } finally {
    clearTimeout(timer);
    // The body may go on for ever.
    controller.abort();
  }
}
