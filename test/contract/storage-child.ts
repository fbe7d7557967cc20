import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";

/** `program` can use `storage`, `stored` and `absent`. The caller reads its stdout. */
export function spawnWithStorage(url: string, program: string): ChildProcessByStdio<null, Readable, null> {
  const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const open = `import { openStorage } from ${at("../../src/storage/open-storage.ts")};
    import { absent } from ${at("../../src/storage/table.ts")};
    import { stored } from ${at("../support/stored.ts")};
    const storage = await openStorage(${JSON.stringify(url)}, { warn() {} });`;
  return spawn(process.execPath, ["--input-type=module", "-e", open + program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}
