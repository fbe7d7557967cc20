import type { PretendStore } from "../../sandbox/store/start-store.ts";

/** Returns a function that ends this, and answers the requests that wait. */
export function holdStore(store: Pick<PretendStore, "fail">, rule: Parameters<PretendStore["fail"]>[0]): () => void {
  const { promise: hold, resolve } = Promise.withResolvers<void>();
  const undo = store.fail({ ...rule, hold });
  return () => {
    undo();
    resolve();
  };
}
