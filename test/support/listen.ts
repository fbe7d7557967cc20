import { once } from "node:events";
import type { Server } from "node:net";

/**
 * Lets a TCP or HTTP server listen on a free port of 127.0.0.1.
 * @returns the host and port where it can be reached, e.g. `127.0.0.1:41234`
 */
export async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `127.0.0.1:${address.port}`;
}
