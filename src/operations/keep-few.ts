import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Whoever asks at once is answered at once, and gone: of more than `most` connections the oldest one goes, which holds its
 * place without asking. Refusing the newest would let any user of the machine take the place of who should have one.
 *
 * @param tell called once, when the first one goes
 * @returns `keep`: this connection has earned its place, and stays; only where all others have, too, a new one goes.
 * `endOthers`: all that have not go now
 */
export function keepFew(
  server: Server,
  { most, tell }: { readonly most: number; readonly tell: () => void },
): { keep(socket: Socket): void; endOthers(): void } {
  const open = new Set<Socket>();
  const mayGo = new Set<Socket>();
  let isTold = false;
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    mayGo.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      mayGo.delete(socket);
    });
    const [oldest] = mayGo;
    if (open.size <= most || oldest === undefined) return;
    open.delete(oldest);
    mayGo.delete(oldest);
    oldest.destroy();
    if (isTold) return;
    isTold = true;
    tell();
  });
  return {
    keep: (socket) => void mayGo.delete(socket),
    endOthers() {
      for (const socket of mayGo) socket.destroy();
    },
  };
}
