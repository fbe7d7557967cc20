import { once } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { codeOf } from "../basics/reason.ts";

/** A server cannot listen at an address. `message` is for the operator. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

function portProblem({ host, port }: { host: string; port: number }, error: unknown): ListenError {
  const code = codeOf(error);
  const what =
    code === "EADDRINUSE"
      ? `HTTP_PORT ${port} is in use on ${host} already; choose another one, or end what listens there`
      : code === "EACCES"
        ? `HTTP_PORT ${port} may not be opened by this user; choose one above 1023`
        : `HTTP_HOST ${host} is no address of this machine; leave HTTP_HOST out, or set it to 0.0.0.0 for all addresses`;
  return new ListenError(what, { cause: error });
}

/** Resolves when the server listens. Throws {@link ListenError}. */
export async function listen(server: Server, at: { readonly host: string; readonly port: number }): Promise<void> {
  try {
    server.listen(at.port, at.host);
    await once(server, "listening");
  } catch (error) {
    throw portProblem(at, error);
  }
}

/**
 * If there are more than `most` connections, closes the oldest, so that idle connections do not keep out new ones.
 *
 * @returns a function that exempts a connection from this limit
 */
export function endOldestBeyond(most: number, server: Server): (connection: Socket) => void {
  const open = new Set<Socket>();
  server.on("connection", (connection) => {
    open.add(connection);
    connection.once("close", () => open.delete(connection));
    const [oldest] = open;
    if (open.size > most) oldest?.destroy();
  });
  return (connection) => void open.delete(connection);
}
