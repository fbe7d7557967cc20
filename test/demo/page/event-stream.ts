import type { ServerResponse } from "node:http";

const text = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Sends events to every open page. */
export function createEventStream() {
  const open = new Set<ServerResponse>();
  const soon = new Map<string, NodeJS.Timeout>();
  const send = (event: string, data: unknown): void => {
    if (open.size === 0) return;
    const sent = text(event, data);
    for (const response of open) response.write(sent);
  };
  return {
    /** Keeps the connection, and sends it the events of `first`. */
    join(response: ServerResponse, first: readonly (readonly [event: string, data: unknown])[]): void {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write("retry: 500\n\n");
      for (const [event, data] of first) response.write(text(event, data));
      open.add(response);
      response.once("close", () => open.delete(response));
    },
    send,
    /** Sends the result of `make` after `withinMs`, once for all calls until then. */
    sendSoon(event: string, make: () => unknown, withinMs: number): void {
      if (soon.has(event)) return;
      const timer = setTimeout(() => {
        soon.delete(event);
        send(event, make());
      }, withinMs);
      soon.set(event, timer.unref());
    },
    close(): void {
      for (const timer of soon.values()) clearTimeout(timer);
      for (const response of open) response.end();
    },
  };
}
