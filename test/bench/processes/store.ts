import { startStore } from "../../sandbox/store/start-store.ts";
import { offer } from "../child.ts";

const store = await startStore();

/** The pretend store, away from everything that is measured. */
const calls = {
  url: () => store.url,
  placeOrders: (count: number) => store.placeOrders(count),
  allowTokens(tokens: readonly string[]) {
    for (const token of tokens) store.allowToken(token);
  },
  /** Those that arrived from `from` to `to`, both epoch ms. */
  requests: (from: number, to: number) =>
    store.requests
      .filter(({ at }) => at >= from && at < to)
      .map(({ at, path, query, token }) => ({ at, path, query, token: token ?? "" })),
};

export type StoreCalls = typeof calls;
offer(calls);
