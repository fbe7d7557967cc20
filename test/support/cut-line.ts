import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { listen } from "./listen.ts";

/** A line to a server, which breaks when it is told to. Who connects anew reaches the server. */
export interface CutLine extends AsyncDisposable {
  /** The address of the server by way of this line. */
  readonly url: string;
  /**
   * The next request with this text in it breaks the line: before it gets there, or once the server has answered it, and
   * nothing of that comes back.
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
