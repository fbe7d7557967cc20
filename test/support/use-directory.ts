import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useFixture } from "./use-fixture.ts";

/** An empty directory for each test. Returns a function that joins names to its path. */
export function useDirectory(): (...names: readonly string[]) => string {
  const made = useFixture(
    async () => ({ path: await mkdtemp(join(tmpdir(), "shopbell test-")) }),
    ({ path }) => rm(path, { recursive: true, force: true }),
  );
  return (...names) => join(made.path, ...names);
}
