/** Matches the URL or path to which a new message is posted. */
export const newMessage = /\/channels\/\d+\/messages$/;
/** Matches the URL or path to which the first answer to an interaction is posted. */
export const firstAnswer = /\/interactions\/\d+\/[^/]+\/callback$/;
/** Matches the URL or path of the answer to an interaction, at which the answer is edited. */
export const shownAnswer = /\/webhooks\/\d+\/[^/]+\/messages\/(?:@|%40)original$/;

/**
 * Returns the route of a request as a label for metrics: `/channels/:id/messages`. The label contains no id and no token, so
 * the number of labels stays small.
 */
export function routeOf(url: string): string {
  return new URL(url).pathname
    .replace(/^.*\/v\d+(?=\/)/, "")
    .replace("%40", "@")
    .replaceAll(/\/\d+(?=\/|$)/g, "/:id")
    .replace(/^(\/(?:webhooks|interactions)\/:id\/)[^/]+/, "$1:other");
}
