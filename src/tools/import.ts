import { createReadStream } from "node:fs";
import { z } from "zod";
import type { ExclusiveAccess } from "../polling/exclude-bots.ts";
import { partitionsTable } from "../polling/partitions.ts";
import { leasesTable } from "../polling/process-lease.ts";
import { copyMark, dataRecord, dataTable } from "../storage/data-record.ts";
import { openStorage } from "../storage/open-storage.ts";
import { assertKnown, versionFor } from "../storage/prepare-data.ts";
import type { WholeStorage } from "../storage/table.ts";
import { type ExportEntry, type ExportHeader, endSchema, entrySchema, headerSchema, rawOf } from "./export-lines.ts";
import { assertKeptOut, counted, keepBotsOut, letBotsIn, linesOf, runTool, type Tool, ToolError } from "./run-tool.ts";

/** Entries written at a time: SQLite's part of a second, and PostgreSQL's statement of at most some hundred kB. */
const sliceSize = 500;
const saidEvery = 50_000;

const lineSchema = z.union([headerSchema, entrySchema, endSchema]);

/** The header, then slices of entries. Throws a {@link ToolError} where the file is not whole. */
async function* read(file: string): AsyncGenerator<ExportHeader | ExportEntry[]> {
  const refuse = (line: number, reason: string) =>
    new ToolError(`${file} cannot be imported: line ${line} ${reason}. Export it anew.`);
  let number = 0;
  let entries = 0;
  let isWhole = false;
  let slice: ExportEntry[] = [];
  for await (const text of linesOf(createReadStream(file))) {
    number++;
    const { data: line } = lineSchema.safeParse(parsed(text));
    if (line === undefined || isWhole || "format" in line !== (number === 1))
      throw refuse(number, "is not what it must be");
    if ("format" in line) yield line;
    else if ("table" in line) {
      entries++;
      slice.push(line);
      if (slice.length === sliceSize) {
        yield slice;
        slice = [];
      }
    } else if (line.entries !== entries)
      throw refuse(number, `counts ${line.entries} entries, and there are ${entries}`);
    else isWhole = true;
  }
  if (!isWhole) throw refuse(number + 1, "is missing: the export was cut short");
  if (slice.length > 0) yield slice;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads all of the file, so that one that is not whole changes nothing; gives its header and how many entries it has. */
async function check(file: string): Promise<{ header: ExportHeader; entries: number }> {
  let header: ExportHeader | undefined;
  let entries = 0;
  for await (const part of read(file)) {
    if (Array.isArray(part)) entries += part.length;
    else header = part;
  }
  if (header === undefined) throw new ToolError(`${file} is empty.`);
  assertKnown(header);
  return { header, entries };
}

/** What a storage without anything may have: who works with it, and what that one is. */
const ownTables: ReadonlySet<string> = new Set([dataTable.name, leasesTable.name, partitionsTable.name]);

/** Which file it is. When it was exported does not tell: exports of a restored backup all say the time of that. */
const fileOf = ({ id, exportedAt }: ExportHeader) => id ?? exportedAt;

/** Throws a {@link ToolError} unless the storage is empty, or holds what an earlier import of this file left. */
async function assertFree(storage: WholeStorage, header: ExportHeader): Promise<void> {
  const record = await dataRecord.read(storage);
  if (record?.importOf === fileOf(header)) return;
  if (record?.importOf !== undefined) {
    throw new ToolError(
      "The import of another file into this storage was cut short. Nothing was changed. Import that file again, or empty the storage first.",
    );
  }
  for await (const page of storage.rawEntries()) {
    if (page.every(({ table }) => ownTables.has(table))) continue;
    throw new ToolError(
      "This storage is not empty. Nothing was changed. Set STORAGE_URL to an empty one: a new file, database or Redis number.",
    );
  }
}

/** All or nothing to the bot: until the last entry is in, it refuses to start on the storage. */
async function importAll({ config, file, log, say }: Tool): Promise<string> {
  const { header, entries } = await check(file);
  const storage = await openStorage(config.storageUrl, log);
  let keptOut: ExclusiveAccess | undefined;
  let isBegun = false;
  try {
    keptOut = await keepBotsOut(storage, say);
    await assertFree(storage, header);
    const { shopbell, exportedAt } = header;
    const version = Math.max(header.version, versionFor(storage));
    isBegun = true;
    await dataRecord.write(storage, { version, shopbell, importOf: fileOf(header) });
    let done = 0;
    for await (const part of read(file)) {
      if (!Array.isArray(part)) continue;
      assertKeptOut(keptOut);
      const now = Date.now();
      const living = part.filter(({ expires = Number.POSITIVE_INFINITY }) => expires > now);
      await storage.writeRaw(living.map((entry) => ({ ...entry, raw: rawOf(entry) })));
      const before = done;
      done += part.length;
      if (Math.floor(before / saidEvery) < Math.floor(done / saidEvery)) {
        say(`${counted(done)} of ${counted(entries)} entries …`);
      }
    }
    await copyMark.write(storage, { copiedAt: exportedAt });
    assertKeptOut(keptOut);
    await dataRecord.write(storage, { version, shopbell });
    return `All ${counted(entries)} entries are in. The keys are not part of them: put data/secret.key (or SECRET_KEYS) in its place, then start the bot. Do not start one on the old storage again.`;
  } catch (error) {
    if (isBegun) {
      say("The import was cut short. The bot will not start on what is there. Run it again with the same file.");
    }
    throw error;
  } finally {
    await letBotsIn(keptOut);
    await storage.close();
  }
}

await runTool(
  {
    name: "import",
    does: "Puts FILE, which npm run export wrote, into an empty storage. The bot must not run meanwhile.",
    file: "read",
  },
  importAll,
);
