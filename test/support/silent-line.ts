import { connect, createServer, type Socket } from "node:net";
import { listen } from "./listen.ts";

/** What stands between a process and a server, as the network does. */
export interface SilentLine extends AsyncDisposable {
  /** `host:port` */
  readonly address: string;
  /**
   * What is connected now hears nothing any more and is not closed, as when the other host died; who connects anew reaches
   * the server.
   */
  fallSilent(): void;
}

/** @param port of the server on 127.0.0.1 */
export async function openSilentLine(port: number): Promise<SilentLine> {
  const open = new Set<Socket>();
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, pair.toReversed()] as const) {
      open.add(from);
      from.pipe(to);
      from.on("error", () => undefined);
      from.on("close", () => void [open.delete(from), pairs.delete(pair), to.destroy()]);
    }
  });
  return {
    address: await listen(server),
    fallSilent() {
      for (const [near, far] of pairs) {
        near.unpipe();
        far.unpipe();
        // Read and thrown away: whoever writes is not told.
        near.resume();
        far.resume();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
