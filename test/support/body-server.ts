import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { createStoreApi, type Store } from "../../src/store-api/store-api.ts";

export interface BodyStore {
  /** The store as commands use it. */
  readonly store: Store;
  /** The store as polls use it. */
  readonly polled: Store;
  readonly logged: readonly unknown[];
}

/** The store answers every request with 200 and `body`, from its own thread, so it does not block the test's event loop. */
export async function withBodyStore<T>(body: string | Uint8Array, use: (given: BodyStore) => Promise<T>): Promise<T> {
  const worker = new Worker(new URL(import.meta.url), { workerData: Buffer.from(body) });
  const [port] = await once(worker, "message");
  const logged: unknown[] = [];
  const api = createStoreApi({
    baseUrl: `http://127.0.0.1:${port}`,
    orderParams: { page: "page", limit: "limit", email: "email", status: "status" },
    log: { debug: () => undefined, warn: (...line) => void logged.push(line) },
  });
  try {
    return await use({ store: api.forToken("t", "interactive"), polled: api.forToken("t", "background"), logged });
  } finally {
    await api.close();
    await worker.terminate();
  }
}

if (!isMainThread && workerData instanceof Uint8Array) {
  const body = Buffer.from(workerData);
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  });
  server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));
}
