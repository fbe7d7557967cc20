import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that Linux assigns, so that no other program gets the port by chance before it is used. */
const [lowest, highest] = [12_000, 32_000];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
