import type { WholeStorage } from "../../src/storage/table.ts";

/** Runs a migration again and again until it ends: first it is killed before its first commit, then before its second one, and so on. */
export async function cutShortAnywhere(
  storage: WholeStorage,
  migrate: (storage: WholeStorage) => Promise<void>,
): Promise<void> {
  let isDone = false;
  for (let commits = 0; !isDone; commits++) {
    let left = commits;
    const dying: WholeStorage = {
      ...storage,
      async commit(steps) {
        if (left-- === 0) throw new Error("killed");
        return storage.commit(steps);
      },
    };
    isDone = await migrate(dying).then(
      () => true,
      () => false,
    );
  }
}
