import type { IncomingMessage } from "node:http";

/** Clients of a server on loopback: its own pages, or programs. */
export type Visitors = "own page" | "programs";

/**
 * Returns why a request is refused, or undefined. Every web page in a browser can reach a server on loopback. So `Host` must
 * name this server (against DNS rebinding), requests of other pages are refused, and a server for programs serves no page.
 * On a server with pages, a request that changes something must come from its own page (against forged requests).
 */
export function refusedRequest(
  { method, headers, socket }: Pick<IncomingMessage, "method" | "headers"> & { socket: { localPort?: number } },
  visitors: Visitors,
): string | undefined {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  if (host !== `127.0.0.1:${socket.localPort}` && host !== `localhost:${socket.localPort}`) return "another host";
  // A browser sends "none" if a person typed the address.
  if (site !== undefined && site !== "same-origin" && site !== "none") return "another site";
  if (visitors === "programs") return origin === undefined ? undefined : "another origin";
  if (method === "GET" || method === "HEAD") return undefined;
  if (origin !== `http://${host}`) return "another origin";
  return site === "none" ? "another site" : undefined;
}
