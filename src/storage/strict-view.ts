import type { KeyvStorageAdapter } from "keyv";

const throwErrors = (event: string | symbol, cause: unknown): boolean => {
  if (event === "error") throw cause instanceof Error ? cause : new Error(String(cause));
  return false;
};

/**
 * The same adapter, on the same connection, seen through one namespace and without its habit of answering "nothing"
 * when the store fails. Costs one small object, so that there can be one for each of thousands of tables.
 */
export function strictView<Adapter extends KeyvStorageAdapter>(adapter: Adapter, namespace: string): Adapter {
  const view: Adapter = Object.create(adapter, {
    // The adapters report a failed write, page or clear as an event and then answer false or end early. The event is
    // sent to the view that the operation was called on, so throwing here ends that operation and no other.
    emit: { value: throwErrors },
    // Without it keyv does not subscribe: thousands of tables would share one list of listeners.
    on: { value: undefined },
  });
  view.namespace = namespace;
  return view;
}
