/** The words of Discord's routes. All else in a path is an id, a token or something unknown. */
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

/** What stands in front of a route: the version, and before it the address's own path. */
const base = /^.*?\/v\d+(?=\/)/;

/**
 * The route of a request as a label: `/channels/:id/messages`. However many servers there are, there are as many routes as
 * the bot has kinds of requests, and no id and no token is in one.
 */
export function routeOf(url: string): string {
  const route = new URL(url).pathname.replace(base, "");
  return route
    .split("/")
    .map((part) => (part === "" || words.has(part) ? part : /^\d+$/.test(part) ? ":id" : ":other"))
    .join("/");
}
