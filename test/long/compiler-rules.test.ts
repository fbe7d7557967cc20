import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { copyTree, root } from "../support/copy-tree.ts";

const run = promisify(execFile);
/** Compiles the whole product, which takes seconds. */
const patience = { timeout: 120_000 };

const imports = `
import { defineCommand, execute, handle } from "../src/services.ts";
import { customIds } from "../src/views/parts/custom-ids.ts";
import { notice } from "../src/views/parts/notice.ts";
const run = async () => notice("yes");
const id = { kind: "string", required: true } as const;
const others = { take: run, done: run, back: run, "card-take": run, "card-done": run, "card-back": run };
const open = { buttons: { open: run, ...others }, menus: { pick: run } };
const handlers = handle(customIds.order, open);
const one = execute({ options: { id }, run });
const nothing = execute({ run });
`;

/** A file for each rule, with what is wrong in its last line. */
const planted: Readonly<Record<string, string>> = {
  "nothing is wrong": `export const order = defineCommand("order", { execute: one, handlers });`,
  "a command with an action and subcommands": `defineCommand("order", { execute: one, subcommands: { all: one }, handlers });`,
  "a command with neither": `defineCommand("order", { handlers });`,
  "a subcommand too few": `defineCommand("alerts", { subcommands: { off: nothing }, handlers: handle(customIds.alerts, {} as never) });`,
  "a subcommand of a group too few": `export const groups: Parameters<typeof defineCommand<"alerts">>[1]["groups"] = { route: { list: nothing } };`,
  "a command without texts": `defineCommand("ping-store", { execute: nothing });`,
  "an option without texts": `defineCommand("order", { execute: execute({ options: { id, more: id }, run }), handlers });`,
  "a text without its option": `defineCommand("order", { execute: nothing, handlers });`,
  "a choice without a text": `defineCommand("order", { execute: execute({ options: { id: { kind: "string", required: true, choices: ["a"] } }, run }), handlers });`,
  "a button without a handler": `handle(customIds.order, { ...open, buttons: {} });`,
  "handlers that are missing": `defineCommand("order", { execute: one });`,
  "the handlers of another command": `defineCommand("order", { execute: one, handlers: handle(customIds.alerts, {} as never) });`,
  "an argument that a button does not have": `customIds.order.buttons.open.make({ order: "1" });`,
  "an argument that is left out": `customIds.orders.buttons.page.make({ session: "x" });`,
  "an option that is read by another name": `execute({ options: { id }, run: async ({ options }) => notice(options.name) });`,
  "a choice that there is not": `execute({ options: { id: { kind: "string", choices: ["a"] } }, run: async ({ options }) => notice(options.id === "b" ? "x" : "y") });`,
};
const tables = `
import type { Storage } from "../storage/table.ts";
export const open = (storage: Storage) => storage.table("orders");
`;
const spanishText = 'id: named("id", "El ID del pedido")';

let copy: Awaited<ReturnType<typeof copyTree>>;
/** What the compiler says, by file. */
let said: Map<string, string[]>;

async function compile(): Promise<Map<string, string[]>> {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const options = { cwd: copy.tree, maxBuffer: 10_000_000 };
  const output = await run(process.execPath, [compiler, "--noEmit", "-p", "tsconfig.json"], options).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  const errors = [...output.matchAll(/^(\S+?)\(\d+,\d+\): error (.*)$/gm)];
  return new Map(
    [...Map.groupBy(errors, ([, file = ""]) => file)].map(([file, found]) => [
      file,
      found.map(([, , text = ""]) => text),
    ]),
  );
}

const fileOf = (rule: string) => `commands/${rule.replaceAll(" ", "-")}.ts`;

beforeAll(async () => {
  copy = await copyTree(["src", "commands", "package.json", "tsconfig.json"]);
  const { tree } = copy;
  for (const [rule, text] of Object.entries(planted)) await writeFile(join(tree, fileOf(rule)), imports + text);
  await writeFile(join(tree, "src/alerts/untyped.ts"), tables);
  const spanish = join(tree, "src/locales/es/commands.ts");
  const texts = await readFile(spanish, "utf8");
  expect(texts).toContain(spanishText);
  await writeFile(spanish, texts.replace(spanishText, ""));
  said = await compile();
}, patience.timeout);
afterAll(() => copy[Symbol.asyncDispose]());

it("takes a command that keeps to the rules, and all of the product", () => {
  const wrong = new Set([...Object.keys(planted).map(fileOf), "src/alerts/untyped.ts", "src/locales/es/commands.ts"]);
  wrong.delete(fileOf("nothing is wrong"));
  expect([...said.keys()].filter((file) => !wrong.has(file))).toEqual([]);
});

it.each(Object.keys(planted).filter((rule) => rule !== "nothing is wrong"))("refuses %s", (rule) => {
  expect(said.get(fileOf(rule))).toHaveLength(1);
});

it("refuses a text that one language lacks", () => {
  expect(said.get("src/locales/es/commands.ts")?.join()).toContain("id");
});

it("refuses a table without a schema", () => {
  expect(said.get("src/alerts/untyped.ts")).toHaveLength(1);
});
