export const newMessage = /\/channels\/\d+\/messages$/;
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
