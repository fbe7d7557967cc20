import type { InvalidAnswers, RecordedRequest } from "./model.ts";

/**
 * What Discord would count before it bans the address: answers of 401, 403 and 429, but not those 429 that speak of a
 * limit shared with other bots (docs: Rate Limits, "Invalid Request Limit"; 10,000 within 10 minutes).
 *
 * @param since epoch ms of arrival
 */
export function countInvalid(requests: readonly RecordedRequest[], since = 0): InvalidAnswers {
  const count = (wanted: number) =>
    requests.filter(({ at, status, limitedBy }) => at >= since && status === wanted && limitedBy !== "shared").length;
  const [unauthorized, forbidden, limited] = [count(401), count(403), count(429)];
  return { unauthorized, forbidden, limited, total: unauthorized + forbidden + limited };
}
