export const newMessage = /\/channels\/\d+\/messages$/;
/** Answers to interactions. They do not need the bot's token, and do not count towards Discord's global limit. */
export const anyAnswer = /\/(?:interactions|webhooks)\/\d+\//;
export const firstAnswer = /\/interactions\/\d+\/[^/]+\/callback$/;
/** Where the answer to an interaction is edited. */
export const shownAnswer = /\/webhooks\/\d+\/[^/]+\/messages\/@original$/;

/** A label for metrics: `/channels/:id/messages`. Without ids and tokens, the number of labels stays small. */
export function routeOf(url: string): string {
  return new URL(url).pathname
    .replace(/^.*\/v\d+(?=\/)/, "")
    .replaceAll(/\/\d+(?=\/|$)/g, "/:id")
    .replace(/^(\/(?:webhooks|interactions)\/:id\/)[^/]+/, "$1:other");
}
