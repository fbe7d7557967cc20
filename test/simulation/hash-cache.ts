import { createRequire, syncBuiltinESMExports } from "node:module";

/** More pages than any simulated store has. */
const mostKept = 50;

/**
 * Caches hashes of bytes, because the simulated store answers with the same pages many times. Call it before importing anything
 * that hashes.
 */
export function installHashCache(): void {
  const crypto = createRequire(import.meta.url)("node:crypto") as { hash: (...given: unknown[]) => string };
  const { hash } = crypto;
  const kept = new Map<number, { readonly data: Buffer; readonly hashed: string }>();
  crypto.hash = (algorithm, data, encoding) => {
    if (!Buffer.isBuffer(data)) return hash(algorithm, data, encoding);
    const known = kept.get(data.length);
    if (known?.data.equals(data)) return known.hashed;
    if (kept.size === mostKept) kept.clear();
    const hashed = hash(algorithm, data, encoding);
    kept.set(data.length, { data, hashed });
    return hashed;
  };
  syncBuiltinESMExports();
}
