import { reasonOf } from "../basics/reason.ts";
import { parseTime } from "./parse-time.ts";

/**
 * The result of a probe: an API that asks for a token, another server, or no server. The last one has Node's name of
 * the error.
 */
export type StoreProbe =
  | {
      readonly kind: "api" | "other";
      readonly status: number;
      /** When the server answered, by its `Date` header; epoch ms. */
      readonly servedAt: number | undefined;
    }
  | { readonly kind: "none"; readonly reason: string };

/**
 * Longest wait for the answer, because a person waits for it. A sleeping store may need some time for its first answer.
 */
const deadlineMs = 10_000;
/** Statuses with which the API (store-open-api 5), or a gateway in front of it, refuses a request without a token. */
const asksForToken: ReadonlySet<number> = new Set([401, 403]);

/**
 * Requests the list of orders without a token, which every Open API refuses. Reads only the head of the answer, and follows no
 * redirect.
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
    // Only the head is needed, and the body may never end.
    controller.abort();
  }
}
