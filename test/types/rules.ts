// `npm run check` compiles this file, and nothing runs it. Below each `@ts-expect-error`, the compiler must refuse a mistake.

import { defineCommand, execute } from "../../src/discord/commands/define-command.ts";
import { commands as spanish } from "../../src/locales/es/commands.ts";
import type { Texts } from "../../src/locales/shape.ts";
import type { Storage } from "../../src/storage/table.ts";
import { customIds } from "../../src/views/parts/custom-ids.ts";
import { notice } from "../../src/views/parts/notice.ts";

const run = async () => notice("yes");
const id = { kind: "string", required: true } as const;
const others = {
  take: run,
  done: run,
  back: run,
  "card-take": run,
  "card-done": run,
  "card-back": run,
  "list-take": run,
  "list-done": run,
  "list-back": run,
};
const handlers = { buttons: { open: run, ...others }, menus: { pick: run } };
const one = execute({ options: { id }, run });
const nothing = execute({ run });
const alertHandlers = {} as Parameters<typeof defineCommand<"alerts">>[1]["handlers"];

defineCommand("order", { execute: one, handlers });
// @ts-expect-error: a command with an action and subcommands
defineCommand("order", { execute: one, subcommands: { all: one }, handlers });
// @ts-expect-error: a command with neither
defineCommand("order", { handlers });
// @ts-expect-error: a subcommand too few
defineCommand("alerts", { subcommands: { off: nothing }, handlers: alertHandlers });
// @ts-expect-error: a subcommand of a group too few
({ route: { list: nothing } }) satisfies Parameters<typeof defineCommand<"alerts">>[1]["groups"];
// @ts-expect-error: a command without texts
defineCommand("no-such-command", { execute: nothing });
// @ts-expect-error: an option without texts
defineCommand("order", { execute: execute({ options: { id, more: id }, run }), handlers });
// @ts-expect-error: a text without its option
defineCommand("order", { execute: nothing, handlers });
const chosen = execute({ options: { id: { ...id, choices: ["a"] } }, run });
// @ts-expect-error: a choice without a text
defineCommand("order", { execute: chosen, handlers });
// @ts-expect-error: a button without a handler
defineCommand("order", { execute: one, handlers: { ...handlers, buttons: {} } });
// @ts-expect-error: handlers that are missing
defineCommand("order", { execute: one });
// @ts-expect-error: the handlers of another command
defineCommand("order", { execute: one, handlers: alertHandlers });
// @ts-expect-error: an argument that a button does not have
customIds.order.buttons.open.make({ order: "1" });
// @ts-expect-error: an argument that is left out
customIds.orders.buttons.page.make({ session: "x" });
// @ts-expect-error: an option that is read by another name
execute({ options: { id }, run: async ({ options }) => notice(options.name) });
const choices = { id: { kind: "string", choices: ["a"] } } as const;
// @ts-expect-error: a choice that there is not
execute({ options: choices, run: async ({ options }) => notice(options.id === "b" ? "x" : "y") });
// @ts-expect-error: a text that one language lacks
export const lacking: Texts["commands"] = { ...spanish, order: { ...spanish.order, options: {} } };
// @ts-expect-error: a text that English does not have
export const surplus: Texts["connect"] = { ...({} as Texts["connect"]), more: "" };
// @ts-expect-error: a text with another argument
export const otherArgument: Texts["common"]["more"] = (count: number) => String(count);
// @ts-expect-error: a table without a schema
export const untyped = (storage: Storage) => storage.table("orders");
