import { problemsFile, resultFile } from "../../commands/import-products/import-products.ts";
import { readProducts } from "../../commands/import-products/rows.ts";
import type { Work } from "./work.ts";

const bytes = 1_048_576;
const uuid = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
const head = "title,price,categoryId,description,images";
const lines = (line: string) => `${head}\n${line.repeat(Math.floor((bytes - 100) / Buffer.byteLength(line)))}`;
const thousand = (line: string) => `${head}\n${line.repeat(1_000)}`;
const links = Array.from({ length: 10 }, (_, at) => `https://cdn.example.com/${at}/${"x".repeat(40)}.png`).join(" ");

/** Each file has at most 1 MiB. */
export const largestFiles: readonly (readonly [what: string, text: string])[] = [
  ["a thousand rows", thousand(`Title,1.5,${uuid},${"text ".repeat(20)},${links}\n`)],
  ["a thousand rows of marks", thousand(`${"e\u0301".repeat(100)},1,${uuid},${"\u0301".repeat(300)},\n`)],
  ["a thousand rows that are wrong in every cell", thousand(`,x,y,${"z".repeat(900)},ftp://a\n`)],
  ["commas in a link", `${head}\nTitle,1,${uuid},,"https://a/${",".repeat(60_000)}x"\n`],
  ["a row as long as any", `${head}\nTitle,1,${uuid},"${",=".repeat(bytes / 4)}","${"x ".repeat(bytes / 5)}"\n`],
  ["the shortest rows", lines("a\n")],
  ["commas", `${head}\n${",".repeat(bytes - 100)}`],
  ["a single cell", `${head}\n${"x".repeat(bytes - 100)}`],
];

/** Undefined if the file is refused. */
export const readFile = (text: string) => readProducts(text, { decimals: 2 }).catch(() => undefined);

/** The reading of each file, and the making of the files that an import returns. */
export async function* worksOfFiles(): AsyncIterable<Work> {
  for (const [what, text] of largestFiles) {
    yield { what: `${what}, read`, run: () => readFile(text) };
    const file = await readFile(text);
    if (file === undefined) continue;
    const { rows, problems } = file;
    yield {
      what: `${what}, results`,
      run() {
        problemsFile(problems, "en");
        resultFile(rows, new Map(rows.map(({ key }) => [key, { state: "created", id: uuid, isNew: true }])), "en");
      },
    };
  }
}
