import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { listen } from "../sandbox/listen.ts";

export interface Arrival {
  /** "POST /v10/channels/…" */
  readonly what: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  readonly response: ServerResponse;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: OutgoingHttpHeaders;
  /** Sent as JSON, unless it is a text or bytes. */
  readonly body?: unknown;
  /** Sends these bytes instead of an HTTP answer, and ends the connection. */
  readonly raw?: string;
}

/** Answers as a test says, in place of Discord. By default it answers with this id of a message. */
export async function startAnsweringServer(id: string) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const what = `${request.method} ${request.url}`;
    const arrival: Arrival = { what, headers: request.headers, body: Buffer.concat(chunks), response };
    own.arrived.push(arrival);
    const { status = 200, headers = {}, body = { id }, raw } = await own.answer(arrival);
    if (raw !== undefined) return void request.socket.end(raw);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  const own = {
    address: `http://${await listen(server)}`,
    arrived: [] as Arrival[],
    /** The answer to each request. It may wait, or never come. */
    answer: (_: Arrival): Answer | Promise<Answer> => ({}),
    hangUp: () => server.closeAllConnections(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return own;
}
