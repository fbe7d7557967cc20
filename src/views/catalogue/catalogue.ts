import type { Locale } from "../../basics/locale.ts";
import { addProduct } from "./add-product.ts";
import { alerts } from "./alerts.ts";
import { auditLog } from "./audit-log.ts";
import { common } from "./common.ts";
import { connect } from "./connect.ts";
import { customers } from "./customers.ts";
import { exports } from "./exports.ts";
import { firstStart } from "./first-start.ts";
import { greeting } from "./greeting.ts";
import { handling } from "./handling.ts";
import { imports } from "./imports.ts";
import { notices } from "./notices.ts";
import { orders } from "./orders.ts";
import { payments } from "./payments.ts";
import { permissions } from "./permissions.ts";
import { problems } from "./problems.ts";
import { products } from "./products.ts";
import { routing } from "./routing.ts";
import { setUp } from "./set-up.ts";
import { settings } from "./settings.ts";
import { stats } from "./stats.ts";
import { statuses } from "./statuses.ts";

const topics = {
  addProduct,
  alerts,
  common,
  connect,
  customers,
  exports,
  firstStart,
  greeting,
  imports,
  handling,
  notices,
  orders,
  payments,
  permissions,
  problems,
  products,
  routing,
  setUp,
  settings,
  stats,
  statuses,
  auditLog: auditLog,
};

/** Every topic in one language. */
export type Catalogue = { readonly [Topic in keyof typeof topics]: (typeof topics)[Topic][Locale] };

function inLocale(locale: Locale): Catalogue {
  return Object.fromEntries(Object.entries(topics).map(([name, topic]) => [name, topic[locale]])) as Catalogue;
}

const catalogues: Readonly<Record<Locale, Catalogue>> = {
  en: inLocale("en"),
  "pt-BR": inLocale("pt-BR"),
  es: inLocale("es"),
};

/** All that Shopbell says, in one language: `texts("es").orders.total`. */
export function texts(locale: Locale): Catalogue {
  return catalogues[locale];
}
