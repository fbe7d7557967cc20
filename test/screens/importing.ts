import { categories } from "../sandbox/store/start-store.ts";
import { holdStore } from "../support/process/hold-store.ts";
import type { World } from "../support/process/world.ts";
import { hostileTitle, idOf } from "./shop.ts";
import type { Book, Visit } from "./stage.ts";

const creation = { method: "POST", path: /catalog\/product$/ };
const columns = "title,price,categoryId,description";
const category = categories[1].id;

/** Adds the products' ids to `aliases`. */
export async function importing(
  { discord, store }: World,
  at: Visit,
  book: Book,
  aliases: Map<string, string>,
): Promise<void> {
  book.chapter("Products from a file", "Nothing is sent before everything in the file is right.");
  const upload = (...lines: readonly string[]) =>
    discord.upload("products.csv", Buffer.from([columns, ...lines].join("\r\n")), "text/csv");
  const send = (...lines: readonly string[]) => at.run("import-products", { file: upload(...lines) });
  const how = at.typed("import-products", { file: "products.csv" });

  await at.shown("What is wrong with a file", how, send(`,49.90,${category},`, `Kart Key,R$ 4k9,games,`));
  const other = discord.upload("a.csv", Buffer.from("a;b"), "text/csv");
  await at.shown("A file that is no such table", how, at.run("import-products", { file: other }));

  const lines = [
    `Kart Legends Key,49.90,${category},For one player`,
    `"${hostileTitle}","1,234",${category},`,
    `Dungeon Key,9,${category},"Two lines,\r\nin one cell"`,
    `Arcade Key,5,${category},`,
  ];
  const preview = await at.shown("A preview of the first ones", how, send(...lines));
  const before = store.products.length;
  const release = holdStore(store, { ...creation, when: () => store.products.length - before === 2 });
  at.press(preview, "Create");
  const progress = await at.seen("2 of 4 created");
  at.screen("An import under way", "Press **Create**.", at.show.message(progress));
  await at.presses("Cancelled", progress, "Cancel");
  release();
  const ended = await at.seen("The import was cancelled");
  at.screen("What became of it", "The import's own message.", at.show.message(ended));
  store.fail({ ...creation, status: 422, body: { success: false, message: "This store has enough keys" }, times: 1 });
  at.press(ended, "Create the remaining");
  const refused = await at.seen("Refused by the store");
  at.screen("Refused by the store", "Press **Create the remaining**.", at.show.message(refused));
  await at.shown("The same file again", how, send(...lines));
  for (const [index, { id }] of store.products.slice(before).entries()) {
    aliases.set(id, idOf(`imported product ${index}`));
    aliases.set(id.slice(0, 8), idOf(`imported product ${index}`).slice(0, 8));
  }
}
