import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

/** Copies parts of the repository into a new directory, with the installed packages. Disposal removes the directory. */
export async function copyTree(parts: readonly string[]): Promise<AsyncDisposable & { readonly tree: string }> {
  const tree = await mkdtemp(join(tmpdir(), "shopbell-tree-"));
  for (const part of parts) await cp(join(root, part), join(tree, part), { recursive: true });
  await symlink(join(root, "node_modules"), join(tree, "node_modules"));
  return { tree, [Symbol.asyncDispose]: () => rm(tree, { recursive: true, force: true }) };
}
