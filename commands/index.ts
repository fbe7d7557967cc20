import type { Command } from "../src/discord/commands/define-command.ts";
import { addProduct } from "./add-product/add-product.ts";
import { alerts } from "./alerts/alerts.ts";
import { customer } from "./customer.ts";
import { digest } from "./digest.ts";
import { exportCommand } from "./export.ts";
import { importProducts } from "./import-products/import-products.ts";
import { order } from "./order.ts";
import { orders } from "./orders.ts";
import { products } from "./products.ts";
import { stats } from "./stats.ts";
import { store } from "./store/store.ts";

/** Every command. Publishing and dispatch read this list. */
export const commands: readonly Command[] = [
  store,
  alerts,
  orders,
  order,
  customer,
  products,
  stats,
  digest,
  exportCommand,
  addProduct,
  importProducts,
];
