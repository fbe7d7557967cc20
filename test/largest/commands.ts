import { commands } from "../../commands/index.ts";
import { locales } from "../../src/basics/locale.ts";
import type { Caller } from "../../src/discord/commands/caller.ts";
import { type Executable, executablesOf } from "../../src/discord/commands/define-command.ts";
import type { OptionSpec } from "../../src/discord/commands/option-values.ts";
import type { Services } from "../../src/discord/commands/services.ts";
import { problemOf } from "../../src/discord/interactions/problem-of.ts";
import { windowFields } from "../../src/views/products/add-product-modal.ts";
import { unseenReply } from "../support/command-jobs.ts";
import {
  type Filler,
  LONG_NUMBER,
  largestNewProduct,
  largestOrder,
  largestProduct,
  largestStock,
  MOST_ROWS,
} from "./inputs.ts";
import { hostileServices, keptName, manager } from "./services.ts";
import type { MakeWorks } from "./work.ts";

const uuid = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
/** Discord's limits on an option and on a field of a window, in characters. */
const OPTION_MAX = 6_000;
const FIELD_MAX = 4_000;

function servicesFor(fill: Filler) {
  const order = largestOrder(fill, 100);
  const product = largestProduct(fill);
  const numbers = Array.from({ length: MOST_ROWS }, (_, index) => String(index).padStart(4, "0"));
  return hostileServices({
    orders: numbers.map((number) => ({ ...order, id: number + fill(60), status: number + fill(96) })),
    products: numbers.map((number) => ({
      ...product,
      id: number + fill(60),
      categoryId: uuid.slice(0, -4) + number,
      info: { ...product.info, title: number + fill(Number(number) % 2 ? 96 : 496) },
    })),
    draft: largestNewProduct(fill),
    query: { statuses: Array(25).fill(fill(100)), email: fill(254), title: fill(OPTION_MAX) },
    upload: largestStock(fill),
    currency: "BRL",
    statuses: Array(25).fill(fill(100)),
  });
}

function valuesOf(spec: OptionSpec, fill: Filler): unknown[] {
  if (spec.kind === "string") {
    const lists = [
      fill(OPTION_MAX),
      `${uuid},`.repeat(160),
      ",".repeat(OPTION_MAX),
      `${fill(1)},`.repeat(OPTION_MAX / 4),
    ];
    return [
      ...lists,
      `https://a.example/${fill(2_000)} `.repeat(3).slice(0, OPTION_MAX),
      `${fill(OPTION_MAX - 40)}${uuid}`,
    ];
  }
  if (spec.kind === "integer") return [LONG_NUMBER, Number.MAX_VALUE];
  return spec.kind === "boolean" ? [true] : ["100000000000000007"];
}

/** By command. Each command runs as the bot's dispatch runs it. */
type Runs = Map<string, (fill: Filler, services: Services, caller: Caller) => (() => Promise<unknown>)[]>;

function addExecutable(runs: Runs, name: string, executable: Executable): void {
  const { options } = executable;
  runs.set(name, (fill, services, caller) => {
    return [0, 1, 2, 3, 4, 5].map((turn) => {
      const chosen = Object.entries(options).map(([key, spec]) => {
        const values = valuesOf(spec, fill);
        return [key, values[turn % values.length]];
      });
      return async () => executable.job(caller, Object.fromEntries(chosen)).run(services, unseenReply(10));
    });
  });
  for (const [key, { suggest }] of Object.entries(options)) {
    if (suggest === undefined) continue;
    runs.set(`${name} ${key}, suggestions`, (fill, services, caller) =>
      ["", fill(3), fill(OPTION_MAX), ",".repeat(OPTION_MAX), "x,".repeat(OPTION_MAX / 2)].map(
        (typed) => () => suggest(typed, caller, services),
      ),
    );
  }
}

function runsOfAll(): Runs {
  const runs: Runs = new Map();
  for (const command of commands) {
    for (const [typed, one] of executablesOf(command)) addExecutable(runs, `${command.name} ${typed}`.trimEnd(), one);
    const { buttons, menus } = command.handlers ?? {};
    for (const [name, handle] of [...Object.entries(buttons ?? {}), ...Object.entries(menus ?? {})]) {
      runs.set(`${command.name}, ${name} pressed`, (fill, services, caller) => {
        const press = { ...caller, args: [fill(30), fill(30)], value: fill(100) };
        const another = { ...caller, args: [keptName, "3"], value: uuid };
        return [press, another].map((choice) => async () => handle(choice).run(services, unseenReply(10)));
      });
    }
    for (const [name, handle] of Object.entries(command.handlers?.windows ?? {})) {
      runs.set(`${command.name}, ${name} submitted`, (fill, services, caller) => {
        const names = ["page", "token", "description", "instructions", "stock-type", "messages"].concat(
          ...Object.values(windowFields),
        );
        const fields = Object.fromEntries(names.map((field) => [field, fill(FIELD_MAX)]));
        const file = { id: "1", filename: fill(1_000), size: 1, url: "https://a.example", proxy_url: "" };
        const context = { ...caller, args: [keptName, fill(30)], fields, files: { "stock-file": [file] } };
        return [
          async () => handle(context).run(services, unseenReply(10)),
          async () =>
            handle({ ...context, files: {}, fields: { ...fields, stock: fill(FIELD_MAX) } }).run(
              services,
              unseenReply(),
            ),
          async () => handle({ ...context, fields: { ...fields, page: "7" } }).run(services, unseenReply(10)),
        ];
      });
    }
  }
  return runs;
}

/** Undefined for a problem that people are shown. Throws any other error. */
async function tried(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (problemOf(error).code === "internal") throw error;
    return undefined;
  }
}

/** By the name of each command, button, menu, window and suggestion. */
export function worksOfCommands(): Map<string, MakeWorks> {
  const servicesOf = new Map<string, Services>();
  function services(name: string, fill: Filler) {
    const made = servicesOf.get(name) ?? servicesFor(fill);
    servicesOf.set(name, made);
    return made;
  }
  const makes = [...runsOfAll()].map(([command, make]): [string, MakeWorks] => [
    command,
    function* (filled) {
      for (const [name, fill] of filled) {
        const runsIn = locales.map((locale) => make(fill, services(name, fill), { ...manager, locale }));
        for (const [index, run] of (runsIn[0] ?? []).entries()) {
          yield { what: `${index} of ${name}`, run: () => tried(runsIn[index % locales.length]?.[index] ?? run) };
        }
      }
    },
  ]);
  return new Map(makes);
}
