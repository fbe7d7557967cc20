import { reasonOf } from "../basics/reason.ts";
import { userAgent } from "./http-client.ts";
import { parseTime } from "./parse-time.ts";

/** A store that was idle may need some time for its first answer. */
const deadlineMs = 10_000;
/** A 403 with a web page comes from a firewall, and does not ask for a token. */
const asksForToken = (status: number, type: string | null): boolean =>
  status === 401 || (status === 403 && !/\bhtml\b/i.test(type ?? ""));

/**
 * Requests the list of orders without a token. Every Open API refuses such a request. Follows no redirect.
 *
 * @param baseUrl without `/open-api` and without a slash at the end
 * @returns `kind`: an API that asks for a token ("api"), another server ("other"), or no answer ("none"). `servedAt`: when the
 * answer was sent, by its `Date` header; epoch ms. `reason`: why there was no answer, in a few words
 */
export async function probeStore(baseUrl: string) {
  try {
    const { status, headers, body } = await fetch(`${baseUrl}/open-api/checkout/order?limit=1`, {
      redirect: "manual",
      headers: { accept: "application/json", "user-agent": userAgent },
      signal: AbortSignal.timeout(deadlineMs),
    });
    // The body is not needed, and may never end.
    await body?.cancel();
    const servedAt = parseTime(headers.get("date") ?? "");
    return {
      kind: asksForToken(status, headers.get("content-type")) ? ("api" as const) : ("other" as const),
      status,
      servedAt,
    };
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return { kind: "none" as const, reason: isLate ? `no answer within ${deadlineMs / 1_000} s` : reasonOf(error) };
  }
}
