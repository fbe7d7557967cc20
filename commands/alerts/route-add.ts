import { randomBytes } from "node:crypto";
import { folded } from "../../src/basics/folded.ts";
import {
  alertsOf,
  assertMayTarget,
  assertOpen,
  channelProblemsOf,
  requireInspection,
  showsCustomersIn,
} from "../../src/discord/commands/alert-target.ts";
import { type Caller, isManager } from "../../src/discord/commands/caller.ts";
import type { ChannelInspection } from "../../src/discord/commands/inspect-channel.ts";
import { mostRuleStatuses, mostRules, type Rule, ruleStyles } from "../../src/guilds/rule.ts";
import { texts } from "../../src/locales/texts.ts";
import { statusesOf } from "../../src/routing/match-rules.ts";
import { type Connected, execute } from "../../src/services.ts";
import { categoryIn, categoryName, seenInCategory } from "../../src/store-queries/categories.ts";
import { habitsOf, priceTextMax, readPrice } from "../../src/store-queries/price.ts";
import { methodIn, productIn, suggestMethods, suggestProducts } from "../../src/store-queries/rule-conditions.ts";
import { statusesIn, statusesSeen, suggestStatuses } from "../../src/store-queries/statuses.ts";
import { ruleLines } from "../../src/views/alerts/rule-list.ts";
import { callerView } from "../../src/views/parts/context.ts";
import { notice } from "../../src/views/parts/notice.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { label, plain } from "../../src/views/parts/text.ts";
import { channelProblemLines } from "../../src/views/settings/set-up.ts";
import { categoryOption, channelOption, recentOrders } from "../options.ts";

const longestName = 40;

interface Typed {
  readonly status?: string | undefined;
  readonly product?: string | undefined;
  readonly category?: string | undefined;
  readonly method?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly items?: number | undefined;
}

function nameIn(typed: string): string {
  const name = label(typed, 2 * longestName, "");
  if (name === "" || name.length > longestName) throw new ProblemError({ code: "bad_route", why: "name" });
  return name;
}

const typedOf = (text: string | undefined) => text?.trim() || undefined;

function amountIn(text: string | undefined, { guild }: Connected): number | undefined {
  const typed = typedOf(text);
  if (typed === undefined) return undefined;
  const price = readPrice(typed, habitsOf(guild.settings));
  if (price === undefined) throw new ProblemError({ code: "bad_route", why: "amount" });
  return price.amount;
}

async function productOf(text: string | undefined, shop: Connected): Promise<Pick<Rule, "product">> {
  const typed = typedOf(text);
  if (typed === undefined) return {};
  const { id, info } = await productIn(typed, shop);
  return { product: { id, title: info.title } };
}

async function categoryOf(text: string | undefined, shop: Connected): Promise<Pick<Rule, "category">> {
  const typed = typedOf(text);
  if (typed === undefined) return {};
  const id = categoryIn(typed);
  return { category: { id, name: categoryName(await seenInCategory(id, shop)) } };
}

/**
 * Reads the status and the payment method of a rule. Recent orders only help with their spelling, so a failure to read
 * these orders is ignored.
 */
async function ordersOf(
  texts: { readonly status: string | undefined; readonly method: string | undefined },
  { locale }: Caller,
  { guildId, store, cache }: Connected,
): Promise<Pick<Rule, "status" | "method">> {
  const typedStatus = typedOf(texts.status);
  const typedMethod = typedOf(texts.method);
  if (typedStatus === undefined && typedMethod === undefined) return {};
  const recent = await cache.recentOrders(guildId, store).catch(() => []);
  const statuses = statusesIn(typedStatus, statusesSeen(recent), locale);
  const [status, ...others] = statuses ?? [];
  const isNone = typedStatus !== undefined && status === undefined;
  if (isNone || others.length > 0) throw new ProblemError({ code: "bad_route", why: "status" });
  return {
    ...(status === undefined ? {} : { status }),
    ...(typedMethod === undefined ? {} : { method: methodIn(typedMethod, recent, locale) }),
  };
}

/** Reads the conditions of a rule. Throws a `ProblemError`, or a `StoreError` if a product is searched for. */
async function conditionsIn(typed: Typed, caller: Caller, shop: Connected): Promise<Partial<Rule>> {
  const { status, product, category, method, items } = typed;
  const [from, to] = [amountIn(typed.from, shop), amountIn(typed.to, shop)];
  if (from !== undefined && to !== undefined && from > to)
    throw new ProblemError({ code: "bad_route", why: "reversed" });
  if (items !== undefined && !(Number.isSafeInteger(items) && items >= 1))
    throw new ProblemError({ code: "bad_route", why: "items" });
  return {
    ...(await ordersOf({ status, method }, caller, shop)),
    ...(await productOf(product, shop)),
    ...(await categoryOf(category, shop)),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(items === undefined ? {} : { items }),
  };
}

/** Adds a rule. Throws a `ProblemError`. */
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

/**
 * Whether customers may be shown in a rule's channel, wherever the alerts go, now or when the server's privacy setting
 * allows it. Throws a `ProblemError` if the caller may not decide that.
 */
function mayShowCustomers(
  caller: Caller,
  look: ChannelInspection | undefined,
  ask: { readonly isStaff: boolean; readonly isNamed: boolean; readonly isMoved: boolean; readonly isShown: boolean },
): boolean {
  const isPrivate = ask.isStaff && look?.isPublic === false;
  if (look) {
    const showsCustomers = isPrivate && ask.isShown;
    assertMayTarget(caller, look, { role: ask.isNamed ? "named" : undefined, showsCustomers, isMoved: ask.isMoved });
  }
  return isPrivate && isManager(caller);
}

export const add = execute({
  options: {
    name: { kind: "string", required: true, min: 1, max: longestName },
    channel: channelOption,
    style: { kind: "string", choices: ruleStyles },
    role: { kind: "role" },
    status: {
      kind: "string",
      max: 100,
      async suggest(typed, caller, services) {
        const recent = await recentOrders(caller, services);
        return typed.includes(",") ? [] : suggestStatuses(typed, statusesSeen(recent), caller.locale);
      },
    },
    product: {
      kind: "string",
      max: 200,
      suggest: async (typed, { guildId }, services) => suggestProducts(typed, await services.connected(guildId)),
    },
    category: categoryOption,
    method: {
      kind: "string",
      max: 100,
      suggest: async (typed, caller, services) =>
        suggestMethods(typed, await recentOrders(caller, services), caller.locale),
    },
    from: { kind: "string", max: priceTextMax },
    to: { kind: "string", max: priceTextMax },
    items: { kind: "integer", min: 1, max: 1_000_000 },
    amount: { kind: "boolean" },
  },
  answer: "ephemeral",
  async run(caller, services) {
    const { guildId, locale, options } = caller;
    const { channel: channelId, style = "staff", amount } = options;
    const name = nameIn(options.name);
    const shop = await services.connected(guildId);
    const { guild, store } = shop;
    const alerts = alertsOf(guild);
    const conditions = await conditionsIn(options, caller, shop);
    // The server's own id is the role @everyone, which the bot never mentions.
    const roleId = options.role === guildId ? undefined : options.role;
    const isStaff = style === "staff";
    const look = await requireInspection(caller, services, { channelId, roleId });
    const isMoved = channelId !== alerts.channelId;
    const isShown = showsCustomersIn(guild);
    const ask = { isStaff, isNamed: roleId !== undefined, isMoved, isShown };
    const showsCustomers = mayShowCustomers(caller, look, ask);
    const problems = channelProblemsOf(look, guild);
    assertOpen(problems, locale);
    const rule: Rule = {
      id: randomBytes(6).toString("base64url"),
      name,
      channelId,
      ...(roleId === undefined ? {} : { roleId }),
      style,
      ...conditions,
      ...(!isStaff && amount ? { showsAmount: true } : {}),
      ...(showsCustomers ? { showsCustomers } : {}),
    };
    await services.alerts.changeRules(guildId, store, (routes) => withRule(routes, rule), guild);
    await services.auditLog.note(caller, { did: "route_added", what: name });
    const say = texts(locale).routing;
    const where = `<#${channelId}>`;
    const left = channelProblemLines(problems, { channelId, roleId }, locale).map((line) => `⚠️ ${line}`);
    const lines = [
      say.added(plain(name, longestName)),
      ruleLines(rule, callerView(guild.settings, locale)),
      ...(options.role === guildId ? [say.noEveryone] : []),
      ...(isStaff && isShown && isMoved && !showsCustomers ? [say.noCustomers(where)] : []),
      ...(!isStaff && look?.isPublic === false ? [say.onlySome(where)] : []),
      ...left,
    ];
    return notice({ body: lines.join("\n"), tone: left.length > 0 ? "warn" : "ok" });
  },
});
