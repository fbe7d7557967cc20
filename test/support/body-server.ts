import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/** An HTTP server in a thread of its own, so that what it does does not hold up the test's event loop. */
export interface BodyServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Answers every request with 200 and this body. */
export async function startBodyServer(body: Uint8Array): Promise<BodyServer> {
  const worker = new Worker(new URL(import.meta.url), { workerData: body });
  const [port] = await once(worker, "message");
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      await worker.terminate();
    },
  };
}

if (!isMainThread && workerData instanceof Uint8Array) {
  const body = Buffer.from(workerData);
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  });
  server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));
}
