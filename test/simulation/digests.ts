import { createRequire, syncBuiltinESMExports } from "node:module";

/** More pages than any simulated store has. */
const mostKept = 50;

/**
 * Caches digests of bytes, because a store answers with the same pages many times. Call it before importing anything
 * that makes digests.
 */
export function installDigests(): void {
  const crypto = createRequire(import.meta.url)("node:crypto") as { hash: (...given: unknown[]) => string };
  const { hash } = crypto;
  const kept = new Map<number, { readonly data: Buffer; readonly digest: string }>();
  crypto.hash = (algorithm, data, encoding) => {
    if (!Buffer.isBuffer(data)) return hash(algorithm, data, encoding);
    const known = kept.get(data.length);
    if (known?.data.equals(data)) return known.digest;
    if (kept.size === mostKept) kept.clear();
    const digest = hash(algorithm, data, encoding);
    kept.set(data.length, { data, digest });
    return digest;
  };
  syncBuiltinESMExports();
}
