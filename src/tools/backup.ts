import { stat } from "node:fs/promises";
import { copySqlite } from "../storage/copy-sqlite.ts";
import { sqlitePath } from "../storage/sqlite-path.ts";
import { makeFile } from "./file-argument.ts";
import { assertDatabaseExists, runTool, type Tool } from "./run-tool.ts";
import { ToolError } from "./tool-error.ts";

const otherTools = `Nothing was done: this program copies SQLite files. Of PostgreSQL, pg_dump makes a consistent copy while the bot runs; of Redis, BGSAVE does, or a copy of its append-only file. With the bot stopped, "npm run export -- FILE" works with each.`;

async function backup({ config, file }: Tool): Promise<string> {
  const path = sqlitePath(config.storageUrl);
  if (path === undefined) throw new ToolError(otherTools);
  assertDatabaseExists(path);
  await makeFile(file, (part) => copySqlite(path, part));
  const { size } = await stat(file);
  const keys = config.secretKeys === undefined ? "data/secret.key" : "SECRET_KEYS";
  return `${file} (${(size / 1_000_000).toFixed(1)} MB) has everything that was kept a moment ago: settings, sealed API tokens, which orders were posted. The key that opens the tokens is NOT in it: keep ${keys} as well, in another place.`;
}

await runTool(
  {
    name: "backup",
    does: "Copies the SQLite database to the new file FILE, while the bot runs or not. The keys are not in it.",
    file: "new",
  },
  backup,
);
