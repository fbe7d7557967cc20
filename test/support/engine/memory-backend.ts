import { hash } from "node:crypto";
import type { Backend } from "../../../src/storage/backend.ts";

/** Several processes share the entries, but not the values of these fields. */
export interface MemoryBackend extends Backend {
  /** Duration of each operation in ms; half of it passes before the operation takes effect. */
  slowMs: number;
  isFailing: boolean;
  /** Operations take effect, and then throw. */
  isLate: boolean;
  commits: number;
}

/** `stored`: texts by `table/key`, which outlive the processes. */
export function memoryBackend(stored: Map<string, string>): MemoryBackend {
  const half = () => new Promise<void>((resolve) => setTimeout(resolve, backend.slowMs / 2));
  async function reach<Result>(work: () => Result): Promise<Result> {
    if (backend.slowMs > 0) await half();
    if (backend.isFailing) throw new Error("it is down");
    const result = work();
    if (backend.isLate) throw new Error("no answer");
    if (backend.slowMs > 0) await half();
    return result;
  }
  const isAsRead = (name: string, version: string | undefined) => {
    const raw = stored.get(name);
    return version === "any" || version === (raw && hash("sha1", raw));
  };
  const backend: MemoryBackend = {
    slowMs: 0,
    isFailing: false,
    isLate: false,
    commits: 0,
    digest: "sha1",
    read: (table, keys) => reach(() => keys.map((key) => stored.get(`${table}/${key}`))),
    async *entries(of) {
      const all = await reach(() => [...stored].map(([name, raw]) => ({ name: name.split("/"), raw })));
      const page = all.map(({ name: [table = "", key = ""], raw }) => ({ table, key, raw }));
      yield page.filter(({ table }) => of === undefined || table === of);
    },
    commit: (steps) =>
      reach(() => {
        backend.commits++;
        if (!steps.every(({ table, key, version }) => isAsRead(`${table}/${key}`, version))) return false;
        for (const { table, key, write } of steps) {
          if (write?.raw !== undefined) stored.set(`${table}/${key}`, write.raw);
          else if (write) stored.delete(`${table}/${key}`);
        }
        return true;
      }),
    clear: (table) =>
      reach(() => {
        for (const name of stored.keys()) if (name.startsWith(`${table}/`)) stored.delete(name);
      }),
    removeExpired: async () => undefined,
    close: async () => undefined,
  };
  return backend;
}
