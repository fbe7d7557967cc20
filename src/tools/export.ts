import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { shopbellVersion } from "../basics/shopbell-version.ts";
import { partitionsTable } from "../polling/held-partitions.ts";
import { leasesTable } from "../polling/process-lease.ts";
import { copyStamp, copyTable, dataRecord, dataTable, newCopyStamp } from "../storage/data-record.ts";
import { assertKnown } from "../storage/prepare-data.ts";
import { sqlitePath } from "../storage/sqlite-path.ts";
import type { WholeStorage } from "../storage/table.ts";
import { type ExportHeader, lineOf } from "./export-lines.ts";
import { makeFile } from "./file-argument.ts";
import { assertDatabaseExists, counted, runTool, sayProgress, type Tool, withExclusiveStorage } from "./run-tool.ts";

/** These tables have the running processes, the partitions that they poll, and data that the header of the file already has. */
const leftOut: ReadonlySet<string> = new Set(
  [leasesTable, partitionsTable, dataTable, copyTable].map(({ name }) => name),
);

async function headerOf(storage: WholeStorage): Promise<ExportHeader> {
  const record = await dataRecord.read(storage);
  assertKnown(record);
  return {
    format: "shopbell export 1",
    id: randomUUID(),
    version: record?.version ?? 1,
    shopbell: record?.shopbell ?? shopbellVersion,
    migratingFrom: record?.migratingFrom,
    exportedAt: newCopyStamp(await copyStamp.read(storage), Date.now()).copiedAt,
  };
}

/** The bot must not run: if it changed rows while they are read, the file could lack an order. */
async function exportAll(tool: Tool): Promise<string> {
  const { config, file } = tool;
  const path = sqlitePath(config.storageUrl);
  if (path !== undefined) assertDatabaseExists(path);
  let entries = 0;
  await withExclusiveStorage(tool, (storage, assertExclusive) =>
    makeFile(file, async (part) => {
      const header = await headerOf(storage);
      async function* lines() {
        yield `${JSON.stringify(header)}\n`;
        for await (const page of storage.rawEntries()) {
          assertExclusive();
          const kept = page.filter(({ table }) => !leftOut.has(table));
          sayProgress(entries + kept.length, entries);
          entries += kept.length;
          yield kept.map((entry) => `${lineOf(entry)}\n`).join("");
        }
        yield `${JSON.stringify({ entries })}\n`;
      }
      await pipeline(lines, createWriteStream(part, { flags: "wx", mode: 0o600, flush: true }));
      assertExclusive();
    }),
  );
  return `${file} has all ${counted(entries)} entries; API tokens and customers in it are sealed as they were. The key that opens them is NOT in it: take data/secret.key (or SECRET_KEYS) along. Next: set STORAGE_URL to the new storage, and "npm run import -- ${file}".`;
}

await runTool(
  {
    name: "export",
    does: "Writes all that is kept to the new file FILE, for npm run import. The bot must not run meanwhile. The keys are not in it.",
    file: "new",
  },
  exportAll,
);
