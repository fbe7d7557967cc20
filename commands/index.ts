import type { Command } from "../src/discord/commands/define-command.ts";
import type { Texts } from "../src/locales/shape.ts";
import { addProduct } from "./add-product/add-product.ts";
import { alerts } from "./alerts/alerts.ts";
import { customer } from "./customer.ts";
import { digest } from "./digest.ts";
import { exportCommand } from "./export.ts";
import { importProducts } from "./import-products/import-products.ts";
import { order } from "./order/order.ts";
import { orders } from "./orders.ts";
import { products } from "./products.ts";
import { stats } from "./stats.ts";
import { store } from "./store/store.ts";

/** The compiler reports a command that has texts but is not in this list. */
const byName: Readonly<Record<keyof Texts["commands"], Command>> = {
  store,
  alerts,
  orders,
  order,
  customer,
  products,
  stats,
  digest,
  export: exportCommand,
  "add-product": addProduct,
  "import-products": importProducts,
};

export const commands: readonly Command[] = Object.values(byName);
