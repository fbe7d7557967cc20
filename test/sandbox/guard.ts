import type { IncomingMessage } from "node:http";

/** Whom a server on loopback is for: the pages that it serves itself, or programs, which are no pages. */
export type Visitors = "own page" | "programs";

/**
 * Why a request is not served, or undefined. Every web page that is open in a browser can reach a server on loopback: so
 * the host has to be this server by name (against DNS rebinding), no other page may ask for anything, and a server for
 * programs serves no page at all. Whatever changes something on a page's server has to come from that page itself (against
 * forged requests).
 */
export function refusedRequest(
  { method, headers, socket }: Pick<IncomingMessage, "method" | "headers"> & { socket: { localPort?: number } },
  visitors: Visitors,
): string | undefined {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  if (host !== `127.0.0.1:${socket.localPort}` && host !== `localhost:${socket.localPort}`) return "another host";
  // A browser says "none" where a person typed the address.
  if (site !== undefined && site !== "same-origin" && site !== "none") return "another site";
  if (visitors === "programs") return origin === undefined ? undefined : "another origin";
  if (method === "GET" || method === "HEAD") return undefined;
  if (origin !== `http://${host}`) return "another origin";
  return site === "none" ? "another site" : undefined;
}
