import { type Choice, firstChoices, searchFor } from "../../src/basics/choices.ts";
import { folded } from "../../src/basics/folded.ts";
import { alertsOf } from "../../src/discord/commands/alert-target.ts";
import type { Caller } from "../../src/discord/commands/caller.ts";
import { mostRules, type Rule } from "../../src/guilds/rule.ts";
import { texts } from "../../src/locales/texts.ts";
import { misfit, type ProductCategories, rulesFor } from "../../src/routing/match-rules.ts";
import { createProductCategories } from "../../src/routing/product-categories.ts";
import { execute, type Services } from "../../src/services.ts";
import type { Order } from "../../src/store-api/schemas.ts";
import { answerTimeout } from "../../src/store-queries/answer-timeout.ts";
import { findOrder, orderIdIn } from "../../src/store-queries/find-order.ts";
import { type Lack, type RuleTest, ruleList, ruleTest } from "../../src/views/alerts/rule-list.ts";
import { callerView } from "../../src/views/parts/context.ts";
import { notice } from "../../src/views/parts/notice.ts";
import { formatNumber } from "../../src/views/parts/numbers.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { plain } from "../../src/views/parts/text.ts";
import { orderOption } from "../options.ts";
import { add } from "./route-add.ts";

async function suggestRules(typed: string, { guildId }: Caller, { guilds }: Services): Promise<Choice[]> {
  const isWanted = searchFor(typed);
  const { routes = [] } = await guilds.get(guildId);
  return firstChoices(routes, ({ name }) => (isWanted(name) ? { name, value: name } : undefined));
}

/** Longest typed name in characters. Other programs than Discord's clients may send any text. */
const longestTyped = 100;

/** Finds the rule with this name, and its index. Throws a `ProblemError`. */
function placeOf(routes: readonly Rule[], typed: string): { readonly rule: Rule; readonly index: number } {
  const wanted = folded(typed.slice(0, longestTyped));
  const index = routes.findIndex(({ name }) => folded(name) === wanted);
  const rule = routes[index];
  if (rule === undefined) throw new ProblemError({ code: "bad_route", why: "unknown" });
  return { rule, index };
}

const name = { kind: "string", required: true, max: longestTyped, suggest: suggestRules } as const;

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
    if (!Number.isInteger(position) || position < 1 || position > mostRules)
      throw new ProblemError({ code: "bad_route", why: "position" });
    const connected = () => services.connected(guildId);
    let moved = { name: "", place: 0, of: 0 };
    await services.alerts.changeRules(guildId, connected, (routes) => {
      const { rule, index } = placeOf(routes, options.name);
      const others = routes.toSpliced(index, 1);
      moved = { name: rule.name, place: Math.min(position, routes.length), of: routes.length };
      return others.toSpliced(position - 1, 0, rule);
    });
    await services.auditLog.note(caller, { did: "route_moved", what: moved.name });
    const number = (count: number) => formatNumber(count, locale);
    const body = texts(locale).routing.moved(plain(moved.name, 40), number(moved.place), number(moved.of));
    return notice({ body, tone: "ok" });
  },
});

const remove = execute({
  options: { name },
  async run(caller, services) {
    const { guildId, locale, options } = caller;
    const connected = () => services.connected(guildId);
    let removed = "";
    await services.alerts.changeRules(guildId, connected, (routes) => {
      const { rule, index } = placeOf(routes, options.name);
      removed = rule.name;
      return routes.toSpliced(index, 1);
    });
    await services.auditLog.note(caller, { did: "route_removed", what: removed });
    return notice({ body: texts(locale).routing.removed(plain(removed, 40)), tone: "ok" });
  },
});

const asNew = { isNew: true, isEntering: true } as const;

/** Finds the first condition of a rule that an order would not meet if it came now. */
function lackOf(rule: Rule, order: Order, categories: ProductCategories): Lack | undefined {
  const lack = misfit(rule, order, categories, asNew);
  const isUnknown = order.items.some(({ productId }) => !categories.has(productId));
  if (lack === "category") return isUnknown ? "unknownCategory" : lack;
  // The condition "event" is always met, because the test takes the order as new and as entering its status now.
  return lack === "event" ? undefined : lack;
}

function tried(order: Order, routes: readonly Rule[], channelId: string, categories: ProductCategories): RuleTest {
  const { staff, feeds } = rulesFor(routes, order, categories, asNew);
  const looks = routes.map((rule) => ({ rule, lack: lackOf(rule, order, categories) }));
  return { order, looks, staff, feeds, channelId };
}

const test = execute({
  options: { order: orderOption },
  async run({ guildId, locale, options }, services) {
    const shop = await services.connected(guildId);
    const { guild, store } = shop;
    const { channelId } = alertsOf(guild);
    const order = await findOrder(store, await orderIdIn(options.order, shop, services));
    const asksCategories = guild.routes?.some(({ category }) => category !== undefined);
    const categories = await createProductCategories().of(asksCategories ? order.items : [], store, answerTimeout());
    const view = callerView(guild.settings, locale);
    return ruleTest(tried(order, guild.routes ?? [], channelId, categories), view);
  },
});

/** `/alerts route`: the subcommands for rules, which send some orders to other channels. */
export const route = { add, list, move, remove, test };
