import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createWorld } from "../support/process/world.ts";
import { figures } from "./figures.ts";
import { adding, alerting, connecting, exporting, looking } from "./first-day.ts";
import { importing } from "./importing.ts";
import { abroad } from "./languages.ts";
import { routing } from "./routing.ts";
import { stock } from "./shop.ts";
import { createBook, visit } from "./stage.ts";
import { failing, refusing, warning } from "./trouble.ts";

const target = resolve(import.meta.dirname, "../../docs/screens.md");

const book = createBook(
  "Screens",
  [
    "Every card, list, modal and notice, as people see it on a first day. `npm run screens` writes this file: the real bot",
    "answers in a simulated Discord, with a simulated store behind it.",
    "",
    "`[Next]` is a button, `(Next)` one that cannot be pressed, `[Open an order ▾]` a menu with its entries below it.",
    "`┌ yellow edge` begins a card with an edge of that colour, `╔` a modal, `~9.90~` is struck through. Times are in UTC",
    "and read at 12:00; references, and delays of a few seconds, are all the same here.",
  ].join("\n"),
);

await using world = await createWorld();
world.store.rotateToken("the-pretend-stores-token-Wx9Z");
stock(world.store);
const aliases = new Map([[new URL(world.store.url).host, "store.example"]]);
const bot = await world.start();
await bot.printed('"msg":"ready"');

const english = visit(world, book, "Pixel Keys", "en-US", aliases);
const other = visit(world, book, "Another shop", "en-US", aliases);
await connecting(world, english, book);
await alerting(world, english, book);
await routing(world, visit(world, book, "Pixel Keys by rule", "en-US", aliases), book);
await looking(world, english, book);
await exporting(world, english, book);
await adding(world, english, book, aliases);
await importing(world, english, book, aliases);
await failing(world, english, other, book);
await refusing(english, book);
const last = await warning(world, english, other, bot, book);
const portuguese = visit(world, book, "Chaves de Pixel", "pt-BR", aliases);
await abroad(world, portuguese, { name: "Português (Brasil)", language: "pt-BR", open: "Abrir um pedido" }, book);
const spanish = visit(world, book, "Claves de Pixel", "es-ES", aliases);
await abroad(world, spanish, { name: "Español", language: "es", open: "Abrir un pedido" }, book);
await last.stop();
await figures(world, visit(world, book, "Pixel Keys by the numbers", "en-US", aliases), book);
if (world.discord.refusals.length > 0) throw new Error("Discord refused a message", { cause: world.discord.refusals });
await writeFile(target, book.markdown());
