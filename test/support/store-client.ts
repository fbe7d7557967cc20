import type { NewProduct } from "../../src/store-api/schemas.ts";
import {
  createStoreApi,
  type Store,
  type StoreApi,
  type StoreApiDeps,
  StoreError,
} from "../../src/store-api/store-api.ts";
import { longestCallMs } from "../../src/store-api/time-limits.ts";
import { categories, type PretendStore, startStore } from "../sandbox/store/start-store.ts";

const orderParams = { page: "page", limit: "limit", email: "email", status: "status" };
/** A refusal with the shortest pause. */
export const busy = { status: 429, headers: { "retry-after": "0" } } as const;

export const product: NewProduct = {
  type: "DEFAULT",
  categoryId: categories[0].id,
  info: { title: "Moon Racer" },
  pricing: { price: 5 },
  inventory: { type: "TEXT", content: "hello" },
};

export interface StoreClient {
  readonly pretend: PretendStore;
  readonly api: StoreApi;
  /** With the store's own token, and the priority of a person. */
  readonly store: Store;
  readonly logged: readonly unknown[];
  /** Opens another client, which the caller closes. By default it has the long time limits of the bot, for slow machines. */
  open(baseUrl: string, limits?: Partial<StoreApiDeps["longestMs"]>, roomBytes?: number): StoreApi;
  requestsLogged(): number;
  close(): Promise<void>;
}

export async function startStoreClient(): Promise<StoreClient> {
  const logged: unknown[] = [];
  const pretend = await startStore({ token: "tok_THE-SECRET-ITSELF" });
  const open: StoreClient["open"] = (baseUrl, limits = {}, roomBytes) =>
    createStoreApi({
      baseUrl,
      orderParams,
      log: { debug: (...line) => logged.push(line), warn: (...line) => logged.push(line) },
      longestMs: { ...longestCallMs, ...limits },
      retryBaseMs: 2,
      roomBytes,
    });
  const api = open(pretend.url);
  return {
    pretend,
    api,
    store: api.forToken(pretend.token, "interactive"),
    logged,
    open,
    requestsLogged: () => logged.filter((line) => JSON.stringify(line).includes("store request")).length,
    async close() {
      await api.close();
      await pretend.close();
    },
  };
}

/** Throws if the call succeeded, or failed with another kind of error. */
export async function failure(call: Promise<unknown>): Promise<StoreError> {
  const error = await call.then(
    () => "it succeeded",
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StoreError)) throw new Error("expected a StoreError", { cause: error });
  return error;
}
