import { randomUUID } from "node:crypto";
import { link, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { shopbellVersion } from "../basics/shopbell-version.ts";
import type { ExclusiveAccess } from "../polling/exclude-bots.ts";
import { partitionsTable } from "../polling/partitions.ts";
import { leasesTable } from "../polling/process-lease.ts";
import { copyMark, copyTable, dataRecord, dataTable, newCopyMark } from "../storage/data-record.ts";
import { openStorage } from "../storage/open-storage.ts";
import { assertKnown } from "../storage/prepare-data.ts";
import { syncFile } from "../storage/sync-file.ts";
import type { WholeStorage } from "../storage/table.ts";
import { type ExportHeader, endSchema, headerSchema, lineOf } from "./export-lines.ts";
import { assertKeptOut, counted, keepBotsOut, letBotsIn, runTool, type Tool } from "./run-tool.ts";

const saidEvery = 50_000;
/** What is of this storage and no other: who polls, and what the header says. */
const leftOut: ReadonlySet<string> = new Set(
  [leasesTable, partitionsTable, dataTable, copyTable].map(({ name }) => name),
);

/** Writes the whole file, a page of entries after the other; gives how many entries there were. */
async function write(
  storage: WholeStorage,
  header: ExportHeader,
  { file, say, keptOut }: Pick<Tool, "file" | "say"> & { readonly keptOut: ExclusiveAccess },
): Promise<number> {
  const handle = await open(file, "wx", 0o600);
  let entries = 0;
  try {
    await handle.appendFile(`${JSON.stringify(headerSchema.parse(header))}\n`);
    for await (const page of storage.rawEntries()) {
      assertKeptOut(keptOut);
      const kept = page.filter(({ table }) => !leftOut.has(table));
      if (kept.length > 0) await handle.appendFile(`${kept.map(lineOf).join("\n")}\n`);
      const before = entries;
      entries += kept.length;
      if (Math.floor(before / saidEvery) < Math.floor(entries / saidEvery)) say(`${counted(entries)} entries …`);
    }
    await handle.appendFile(`${JSON.stringify(endSchema.parse({ entries }))}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return entries;
}

/** The bot has to stand still: a ledger of which one half is older than the other loses orders. */
async function exportAll({ config, file, log, say }: Tool): Promise<string> {
  const storage = await openStorage(config.storageUrl, log);
  const part = `${file}.part`;
  let keptOut: ExclusiveAccess | undefined;
  try {
    keptOut = await keepBotsOut(storage, say);
    const record = await dataRecord.read(storage);
    assertKnown(record);
    const header = {
      format: "shopbell export 1" as const,
      id: randomUUID(),
      version: record?.version ?? 1,
      shopbell: record?.shopbell ?? shopbellVersion,
      exportedAt: newCopyMark(await copyMark.read(storage), Date.now()).copiedAt,
    };
    await rm(part, { force: true });
    const entries = await write(storage, header, { file: part, say, keptOut });
    assertKeptOut(keptOut);
    await link(part, file);
    await syncFile(dirname(file));
    return `${file} has all ${counted(entries)} entries; API tokens and customers in it are sealed as they were. The key that opens them is NOT in it: take data/secret.key (or SECRET_KEYS) along. Next: set STORAGE_URL to the new storage, and "npm run import -- ${file}".`;
  } finally {
    await rm(part, { force: true });
    await letBotsIn(keptOut);
    await storage.close();
  }
}

await runTool(
  {
    name: "export",
    does: "Writes all that is kept to the new file FILE, for npm run import. The bot must not run meanwhile. The keys are not in it.",
    file: "made",
  },
  exportAll,
);
