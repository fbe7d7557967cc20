import type { IncomingMessage } from "node:http";

/**
 * Why a request is not served, or undefined. The page's server is on loopback, where every web page that is open in a
 * browser can reach it: so the host has to be this server by name (against DNS rebinding), and whatever changes
 * something has to come from the page itself (against forged requests). `port` is the server's own.
 */
export function refusedRequest({ method, headers }: Pick<IncomingMessage, "method" | "headers">, port: number) {
  const host = headers.host ?? "";
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return "another host";
  const site = headers["sec-fetch-site"];
  const reads = method === "GET" || method === "HEAD";
  if (reads) return site === undefined || site === "same-origin" || site === "none" ? undefined : "another site";
  if (headers.origin !== `http://${host}`) return "another origin";
  return site === undefined || site === "same-origin" ? undefined : "another site";
}
