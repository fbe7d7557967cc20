import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { copyStamp, dataRecord } from "../storage/data-record.ts";
import { assertKnown, isEmptyStorage } from "../storage/prepare-data.ts";
import type { WholeStorage } from "../storage/table.ts";
import { type ExportEntry, type ExportHeader, lineSchema, rawOf } from "./export-lines.ts";
import { counted, runTool, sayProgress, type Tool, withExclusiveStorage } from "./run-tool.ts";
import { ToolError } from "./tool-error.ts";

/** A slice has at most this many entries and characters, because a statement of PostgreSQL may take at most 5 s. */
const sliceSize = 500;
const sliceLength = 1_000_000;

function parsed(text: string) {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Yields the header, then slices of entries. */
async function* read(file: string): AsyncGenerator<ExportHeader | ExportEntry[]> {
  const refuse = (line: number, reason: string) =>
    new ToolError(`${file} cannot be imported: line ${line} ${reason}. Export it again.`);
  let number = 0;
  let isWhole = false;
  let slice: ExportEntry[] = [];
  let length = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    const line = parsed(text);
    if (line === undefined || isWhole || "format" in line !== (number === 1)) {
      throw refuse(number, "is not what it must be");
    }
    if ("format" in line) yield line;
    else if ("table" in line) {
      slice.push(line);
      length += text.length;
      if (slice.length === sliceSize || length > sliceLength) {
        yield slice;
        slice = [];
        length = 0;
      }
    } else if (line.entries !== number - 2) {
      throw refuse(number, `counts ${line.entries} entries, and there are ${number - 2}`);
    } else isWhole = true;
  }
  if (!isWhole) throw refuse(number + 1, "is missing: the export was cut short");
  yield slice;
}

/** The whole file is read before anything is written, so that an incomplete file changes nothing. */
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

async function assertFree(storage: WholeStorage, fileId: string): Promise<void> {
  const record = await dataRecord.read(storage);
  if (record?.importOf === fileId) return;
  if (record?.importOf !== undefined) {
    throw new ToolError(
      "The import of another file into this storage was cut short. Nothing was changed. Import that file again, or empty the storage first.",
    );
  }
  if (await isEmptyStorage(storage)) return;
  throw new ToolError(
    "This storage is not empty. Nothing was changed. Set STORAGE_URL to an empty one: a new file, database or Redis number.",
  );
}

/** The bot refuses to start on the storage until the last entry is written. */
async function importAll(tool: Tool): Promise<string> {
  const { file } = tool;
  const { header, entries } = await check(file);
  // The next start of the bot migrates the data, or continues its migration.
  const { id, exportedAt, version, shopbell, migratingFrom } = header;
  const record = { version, shopbell, migratingFrom };
  let done = 0;
  let isBegun = false;
  try {
    await withExclusiveStorage(tool, async (storage, assertExclusive) => {
      await assertFree(storage, id);
      isBegun = true;
      await dataRecord.write(storage, { ...record, importOf: id });
      for await (const part of read(file)) {
        if (!Array.isArray(part)) continue;
        assertExclusive();
        const now = Date.now();
        const living = part.filter(({ expires = Number.POSITIVE_INFINITY }) => expires > now);
        await storage.writeRaw(living.map((entry) => ({ ...entry, raw: rawOf(entry) })));
        sayProgress(done + part.length, done, ` of ${counted(entries)}`);
        done += part.length;
      }
      await copyStamp.write(storage, { copiedAt: exportedAt });
      assertExclusive();
      await dataRecord.write(storage, record);
    });
  } catch (error) {
    if (isBegun) {
      console.log(
        "The import was cut short. The bot will not start on what is there. Run it again with the same file.",
      );
    }
    throw error;
  }
  return `All ${counted(entries)} entries are in. The keys are not part of them: put data/secret.key (or SECRET_KEYS) in its place, then start the bot. Do not start one on the old storage again.`;
}

await runTool(
  {
    name: "import",
    does: "Puts FILE, which npm run export wrote, into an empty storage. The bot must not run meanwhile.",
    file: "read",
  },
  importAll,
);
