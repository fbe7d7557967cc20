/** Fixed words of Discord's routes. Every other part of a path is an id, a token or something unknown. */
const words = new Set([
  "@me",
  "@original",
  "applications",
  "bot",
  "callback",
  "channels",
  "commands",
  "gateway",
  "guilds",
  "interactions",
  "members",
  "messages",
  "permissions",
  "roles",
  "users",
  "webhooks",
]);

/** Matches the URL or path to which a new message is posted. */
export const newMessage = /\/channels\/\d+\/messages$/;

/** Matches the part of a path before the route: the base address's own path, and the version. */
const base = /^.*?\/v\d+(?=\/)/;

/**
 * The route of a request as a label for metrics: `/channels/:id/messages`. It contains no id and no token, so there are
 * only as many labels as kinds of requests.
 */
export function routeOf(url: string): string {
  const route = new URL(url).pathname.replace(base, "");
  return route
    .split("/")
    .map((part) => (part === "" || words.has(part) ? part : /^\d+$/.test(part) ? ":id" : ":other"))
    .join("/");
}
