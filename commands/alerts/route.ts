import { randomBytes } from "node:crypto";
import type { Choice } from "../../src/basics/choices.ts";
import { folded } from "../../src/basics/folded.ts";
import { mostRuleStatuses, mostRules, ruleNameMax } from "../../src/basics/limits/limits-in-texts.ts";
import type { Locale } from "../../src/basics/locale.ts";
import { type Caller, isManager } from "../../src/discord/commands/caller.ts";
import { execute } from "../../src/discord/commands/define-command.ts";
import type { Connected, Services } from "../../src/discord/commands/services.ts";
import { type Rule, ruleStyles } from "../../src/guilds/rule.ts";
import { texts } from "../../src/locales/texts.ts";
import { misfit, type ProductCategories, rulesFor, statusesOf } from "../../src/routing/match-rules.ts";
import { createProductCategories } from "../../src/routing/product-categories.ts";
import { hasStatus } from "../../src/store-api/order-status.ts";
import type { Order } from "../../src/store-api/schemas.ts";
import { answerTimeout } from "../../src/store-queries/answer-timeout.ts";
import { categoryIn, categoryName, categoryTyped, titlesInCategory } from "../../src/store-queries/categories.ts";
import { findOrder, orderIdIn } from "../../src/store-queries/find-order.ts";
import { productIn, suggestProducts } from "../../src/store-queries/find-product.ts";
import { methodIn, suggestMethods } from "../../src/store-queries/payment-methods.ts";
import { habitsOf, readPrice } from "../../src/store-queries/price.ts";
import { type Lack, ruleLines, ruleList, ruleTest } from "../../src/views/alerts/rule-list.ts";
import { callerView } from "../../src/views/parts/context.ts";
import { notice } from "../../src/views/parts/notice.ts";
import { formatNumber, priceTextMax } from "../../src/views/parts/numbers.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { suggest } from "../../src/views/parts/suggest.ts";
import { label, plain } from "../../src/views/parts/text.ts";
import { channelProblemLines, unknownStatusLines } from "../../src/views/settings/set-up.ts";
import {
  alertsOf,
  assertMayTarget,
  assertOpen,
  channelProblemsOf,
  requireInspection,
  showsCustomersIn,
} from "../alert-target.ts";
import { categoryOption, channelOption, orderOption, recentOrders } from "../options.ts";
import { statusesIn, statusesSeen, suggestStatuses, unknownStatuses } from "../typed-statuses.ts";

function nameIn(typed: string): string {
  const name = label(typed, 2 * ruleNameMax, "");
  if (name === "" || name.length > ruleNameMax) throw new ProblemError({ code: "bad_route", why: "name" });
  return name;
}

function amountIn(typed: string | undefined, { guild }: Connected): number | undefined {
  if (typed === undefined) return undefined;
  const price = readPrice(typed, habitsOf(guild.settings));
  if (price === undefined) throw new ProblemError({ code: "bad_route", why: "amount" });
  return price.amount;
}

function statusIn(typed: string | undefined, recent: readonly Order[], locale: Locale): string | undefined {
  const [status, ...others] = statusesIn(typed, statusesSeen(recent), locale) ?? [];
  const isNone = typed !== undefined && status === undefined;
  if (isNone || others.length > 0) throw new ProblemError({ code: "bad_route", why: "status" });
  return status;
}

async function conditionsIn(
  options: Readonly<Partial<Record<"status" | "product" | "category" | "method" | "from" | "to", string>>> &
    Pick<Rule, "items">,
  { locale }: Caller,
  shop: Connected,
): Promise<Partial<Rule>> {
  const { items } = options;
  const typed = (name: Exclude<keyof typeof options, "items">) => options[name]?.trim() || undefined;
  const [from, to] = [amountIn(typed("from"), shop), amountIn(typed("to"), shop)];
  if (from !== undefined && to !== undefined && from > to)
    throw new ProblemError({ code: "bad_route", why: "reversed" });
  const [typedStatus, typedMethod, typedProduct] = [typed("status"), typed("method"), typed("product")];
  // Recent orders only help with the spelling, so a failure is ignored.
  const needsOrders = typedStatus !== undefined || typedMethod !== undefined;
  const recent = needsOrders ? await shop.cache.recentOrders().catch(() => []) : [];
  const status = statusIn(typedStatus, recent, locale);
  const product = typedProduct === undefined ? undefined : await productIn(typedProduct, shop);
  const typedCategory = typed("category");
  const categoryId = typedCategory && categoryIn(await categoryTyped(typedCategory, shop));
  return {
    status,
    method: typedMethod && methodIn(typedMethod, recent, locale),
    product: product && { id: product.id, title: product.info.title },
    category: categoryId ? { id: categoryId, name: categoryName(await titlesInCategory(categoryId, shop)) } : undefined,
    from,
    to,
    items,
  };
}

function withRule(routes: readonly Rule[], rule: Rule): readonly Rule[] {
  const refuse = (why: "exists" | "full" | "statuses"): never => {
    throw new ProblemError({ code: "bad_route", why });
  };
  if (routes.some(({ name }) => folded(name) === folded(rule.name))) refuse("exists");
  if (routes.length >= mostRules) refuse("full");
  const all = [...routes, rule];
  if (statusesOf(all).length > mostRuleStatuses) refuse("statuses");
  return all;
}

const add = execute({
  options: {
    name: { kind: "string", required: true, min: 1, max: ruleNameMax },
    channel: channelOption,
    style: { kind: "string", choices: ruleStyles },
    role: { kind: "role" },
    status: {
      kind: "string",
      max: 100,
      async suggest(typed, caller, services) {
        const recent = await recentOrders(services);
        return typed.includes(",") ? [] : suggestStatuses(typed, statusesSeen(recent), caller.locale);
      },
    },
    product: {
      kind: "string",
      max: 200,
      suggest: async (typed, _, services) => suggestProducts(typed, await services.connected()),
    },
    category: categoryOption,
    method: {
      kind: "string",
      max: 100,
      suggest: async (typed, caller, services) => suggestMethods(typed, await recentOrders(services), caller.locale),
    },
    from: { kind: "string", max: priceTextMax },
    to: { kind: "string", max: priceTextMax },
    items: { kind: "integer", min: 1, max: 1_000_000 },
    amount: { kind: "boolean" },
  },
  async run(caller, services) {
    const { guildId, locale, options } = caller;
    const { channel: channelId, style = "staff", amount } = options;
    const name = nameIn(options.name);
    const shop = await services.connected();
    const { guild, view } = shop;
    const alerts = alertsOf(guild);
    const conditions = await conditionsIn(options, caller, shop);
    // The server's own id stands for @everyone, which the bot never mentions.
    const roleId = options.role === guildId ? undefined : options.role;
    const isStaff = style === "staff";
    const look = await requireInspection(caller, services, { channelId, roleId });
    const isPrivate = isStaff && look?.isPublic === false;
    const role = roleId === undefined ? undefined : "named";
    if (look) assertMayTarget(caller, look, guild, { channelId, roleId, role, showsCustomers: isPrivate });
    const showsCustomers = isPrivate && isManager(caller);
    const problems = channelProblemsOf(look, guild, roleId);
    assertOpen(problems);
    const rule: Rule = {
      id: randomBytes(6).toString("base64url"),
      name,
      channelId,
      roleId,
      style,
      ...conditions,
      showsAmount: !isStaff && amount ? true : undefined,
      showsCustomers: showsCustomers || undefined,
    };
    await services.alerts.changeRules(guildId, services.connected, (routes) => withRule(routes, rule));
    await services.auditLog.note(caller, { did: "route_added", what: name });
    const say = texts(locale).routing;
    const where = `<#${channelId}>`;
    const { status } = conditions;
    const recent = status === undefined ? [] : await recentOrders(services).catch(() => undefined);
    // Without recent orders nothing is known about the store's statuses.
    const unknown = status && recent ? unknownStatuses([status], statusesSeen(recent)) : [];
    const left = [
      ...channelProblemLines(problems, { channelId, roleId }, locale),
      ...unknownStatusLines(unknown, locale),
    ];
    const lines = [
      say.added(plain(name, ruleNameMax)),
      ruleLines(rule, view),
      ...(options.role === guildId ? [say.noEveryone] : []),
      ...(isStaff && showsCustomersIn(guild) && channelId !== alerts.channelId && !showsCustomers
        ? [say.noCustomers(where)]
        : []),
      ...(!isStaff && look?.isPublic === false ? [say.onlySome(where)] : []),
      ...left,
    ];
    return notice({ body: lines.join("\n"), tone: left.length > 0 ? "warn" : "ok" });
  },
});

async function suggestRules(typed: string, { guildId }: Caller, { guilds }: Services): Promise<Choice[]> {
  const { routes = [] } = await guilds.get(guildId);
  return suggest(typed, routes, ({ name }) => ({ name, value: name }));
}

function placeOf(routes: readonly Rule[], typed: string): { readonly rule: Rule; readonly index: number } {
  const wanted = folded(typed);
  const index = routes.findIndex(({ name }) => folded(name) === wanted);
  const rule = routes[index];
  if (rule === undefined) throw new ProblemError({ code: "bad_route", why: "unknown" });
  return { rule, index };
}

const name = { kind: "string", required: true, max: 100, suggest: suggestRules } as const;

const list = execute({
  async run({ guildId, locale }, { guilds }) {
    const { routes = [], alerts, settings } = await guilds.get(guildId);
    return ruleList({ routes, channelId: alerts?.channelId }, callerView(settings, locale));
  },
});

const move = execute({
  options: { name, position: { kind: "integer", required: true, min: 1, max: mostRules } },
  async run(caller, services) {
    const { guildId, locale, options } = caller;
    const { position } = options;
    let moved = { name: "", place: 0, of: 0 };
    await services.alerts.changeRules(guildId, services.connected, (routes) => {
      const { rule, index } = placeOf(routes, options.name);
      const others = routes.toSpliced(index, 1);
      moved = { name: rule.name, place: Math.min(position, routes.length), of: routes.length };
      return others.toSpliced(position - 1, 0, rule);
    });
    await services.auditLog.note(caller, { did: "route_moved", what: moved.name });
    const number = (count: number) => formatNumber(count, locale);
    const body = texts(locale).routing.moved(plain(moved.name, ruleNameMax), number(moved.place), number(moved.of));
    return notice({ body, tone: "ok" });
  },
});

const remove = execute({
  options: { name },
  async run(caller, services) {
    const { guildId, locale, options } = caller;
    let removed = "";
    await services.alerts.changeRules(guildId, services.connected, (routes) => {
      const { rule, index } = placeOf(routes, options.name);
      removed = rule.name;
      return routes.toSpliced(index, 1);
    });
    await services.auditLog.note(caller, { did: "route_removed", what: removed });
    return notice({ body: texts(locale).routing.removed(plain(removed, ruleNameMax)), tone: "ok" });
  },
});

const asNew = { isNew: true, isEntering: true } as const;

function lackOf(rule: Rule, order: Order, categories: ProductCategories): Lack | undefined {
  const lack = misfit(rule, order, categories, asNew);
  const isUnknown = order.items.some(({ productId }) => !categories.has(productId));
  if (lack === "category") return isUnknown ? "unknownCategory" : lack;
  // The condition "event" is met, because the test treats the order as new.
  return lack === "event" ? undefined : lack;
}

const test = execute({
  options: { order: orderOption },
  async run({ options }, services) {
    const shop = await services.connected();
    const { guild, store, view } = shop;
    const { routes = [] } = guild;
    const { channelId, statuses } = alertsOf(guild);
    const order = await findOrder(store, await orderIdIn(options.order, shop, services));
    const asksCategories = routes.some(({ category }) => category !== undefined);
    const categories = await createProductCategories().of(asksCategories ? order.items : [], store, answerTimeout());
    const isAnnounced = hasStatus(order, statuses);
    const { staff, feeds } = rulesFor(routes, order, categories, { isNew: isAnnounced, isEntering: true });
    const staffIfAnnounced = rulesFor(routes, order, categories, asNew).staff;
    const looks = routes.map((rule) => ({ rule, lack: lackOf(rule, order, categories) }));
    return ruleTest({ order, looks, staff: staff ?? staffIfAnnounced, feeds, channelId, isAnnounced }, view);
  },
});

export const route = { subcommands: { add, list, move, remove, test } };
