import { createRequire, syncBuiltinESMExports } from "node:module";

/** More than a store has pages. */
const mostKept = 50;

/** Keeps digests of bytes: a store answers the same pages again and again. To be called before anything that digests is imported. */
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
