import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { listen } from "../sandbox/listen.ts";

/** A proxy to a server that can break a connection on request. New connections reach the server again. */
export interface CutLine extends AsyncDisposable {
  /** The address of the server through this proxy. */
  readonly url: string;
  /**
   * Breaks the connection at the next request that contains this text: before the request reaches the server, or after the server
   * has answered. The client receives no answer.
   */
  cutAt(text: string, when: "before" | "after"): void;
}

export async function openCutLine(url: string): Promise<CutLine> {
  const target = new URL(url);
  const [host, port] = [target.hostname, Number(target.port)];
  let cut: { readonly text: string; readonly when: "before" | "after" } | undefined;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, host);
    const end = () => void [near.destroy(), far.destroy()];
    let isMute = false;
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("error", () => undefined).on("close", () => void [open.delete(socket), end()]);
    }
    near.on("data", (chunk) => {
      const isCut = cut !== undefined && chunk.includes(cut.text);
      if (isCut && cut?.when === "before") end();
      else far.write(chunk);
      if (!isCut) return;
      isMute = true;
      cut = undefined;
    });
    far.on("data", (chunk) => (isMute ? end() : near.write(chunk)));
  });
  target.host = await listen(server);
  return {
    url: target.href,
    cutAt(text, when) {
      cut = { text, when };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
