import { once } from "node:events";
import { createServer } from "node:net";
import { listen } from "./listen.ts";

/** A TCP port on 127.0.0.1 that nothing listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const address = await listen(server);
  server.close();
  await once(server, "close");
  return Number(new URL(`http://${address}`).port);
}
