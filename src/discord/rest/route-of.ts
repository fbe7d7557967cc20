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

/** The end of the URL or path to which a new message is posted. */
export const newMessage = /\/channels\/\d+\/messages$/;

/** The part of a path before the route: the address's own path, and the version. */
const base = /^.*?\/v\d+(?=\/)/;

/**
 * The route of a request as a label: `/channels/:id/messages`. It has no id and no token, so the number of labels is
 * the number of kinds of requests.
 */
export function routeOf(url: string): string {
  const route = new URL(url).pathname.replace(base, "");
  return route
    .split("/")
    .map((part) => (part === "" || words.has(part) ? part : /^\d+$/.test(part) ? ":id" : ":other"))
    .join("/");
}
