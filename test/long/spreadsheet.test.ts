import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stringify } from "csv-stringify/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { csvHead, csvOf } from "../../src/reports/csv.ts";

const installed = spawnSync("soffice", ["--version"]).status === 0;

const starts = ["", "a;", "a,", "a\t", "a\n", "a\r", "a\u2028", ";\t", 'a;"', '"', "'", "a; ", " ", "\u00a0", "\u200b"];
const formulas = ["=1+1", "+1+1", "-1-1", "@SUM(1)", "＝1+1"];
const ends = ["", ";", '"', ",b"];
const texts = starts.flatMap((start) =>
  formulas.flatMap((formula) => ends.map((end) => [`id ${start}`, start + formula + end, "last;"])),
);

/** "Token 13" of LibreOffice's filter options: it evaluates formulas. */
const filter = (dividers: string, quote: string, trims: boolean) =>
  `CSV:${dividers},${quote},76,1,,1033,false,true,false,false,${trims},0,true`;

describe.skipIf(!installed)("files in LibreOffice (apt-get install libreoffice-calc)", () => {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "shopbell-spreadsheet-"));
    await writeFile(join(directory, "ours.csv"), csvHead(["id", "text", "last"]) + csvOf(texts));
    await writeFile(join(directory, "plain.csv"), stringify(texts, { record_delimiter: "windows", bom: true }));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  /** The formulas that LibreOffice finds in a file. */
  async function formulasIn(file: string, options: readonly string[]): Promise<string[]> {
    const profile = `-env:UserInstallation=${pathToFileURL(join(directory, "profile"))}`;
    const to = ["--convert-to", "fods", "--outdir", directory, join(directory, `${file}.csv`)];
    const { status, stderr } = spawnSync("soffice", [profile, "--headless", ...options, ...to], { encoding: "utf8" });
    expect(status, stderr).toBe(0);
    const sheet = await readFile(join(directory, `${file}.fods`), "utf8");
    expect(sheet.match(/<table:table-row/g)?.length).toBeGreaterThanOrEqual(texts.length);
    return sheet.match(/table:formula="[^"]*"/g) ?? [];
  }

  it.each([
    ["as it reads them by itself", []],
    ["divided at commas", [`--infilter=${filter("44", "34", false)}`]],
    ["divided at semicolons", [`--infilter=${filter("59", "34", false)}`]],
    ["divided at tabs", [`--infilter=${filter("9", "34", false)}`]],
    ["divided at all of them, without blanks", [`--infilter=${filter("44/59/9", "34", true)}`]],
    ["divided at all of them, without quotes", [`--infilter=${filter("44/59/9", "", true)}`]],
  ])("have no formula: %s", async (_, options) => {
    expect(await formulasIn("plain", options)).not.toEqual([]);
    expect(await formulasIn("ours", options)).toEqual([]);
  });
});
