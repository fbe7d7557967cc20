import { ruleNameMax } from "../../basics/limits/limits-in-texts.ts";
import type { Rule } from "../../guilds/rule.ts";
import { texts } from "../../locales/texts.ts";
import { statusView } from "../orders/status.ts";
import { textBudget } from "../parts/components.ts";
import type { ViewContext } from "../parts/context.ts";
import { money, quantity } from "../parts/money.ts";
import { notice } from "../parts/notice.ts";
import type { MessagePayload } from "../parts/payload.ts";
import { clip, code, plain } from "../parts/text.ts";

/** The first condition of a rule that an order does not meet, for `/alerts route test`. */
export type Lack = "status" | "product" | "category" | "unknownCategory" | "method" | "from" | "to" | "items";

/** In UTF-16 units. If there are many rules, each gets less, because all must fit into a message. */
const longestRule = 300;
const named = ({ name }: Rule) => `**${plain(name, ruleNameMax)}**`;
const at = ({ channelId }: Pick<Rule, "channelId">) => `<#${channelId}>`;
const categoryName = ({ id, name }: { readonly id: string; readonly name: string }) =>
  name === "" ? code(id, 66) : plain(name, 60);

type Words = Omit<ReturnType<typeof texts>["routing"]["reasons"], "unknownCategory">;

function conditions(rule: Rule, say: Words, ctx: ViewContext): Partial<Record<Lack, string>> {
  const { status, product, category, method, from, to, items } = rule;
  return {
    ...(status === undefined ? {} : { status: say.status(statusView(status, ctx.locale, 40).text) }),
    ...(product === undefined ? {} : { product: say.product(plain(product.title, 60)) }),
    ...(category === undefined ? {} : { category: say.category(categoryName(category)) }),
    ...(method === undefined ? {} : { method: say.method(plain(method, 40)) }),
    ...(from === undefined ? {} : { from: say.from(money(from, ctx)) }),
    ...(to === undefined ? {} : { to: say.to(money(to, ctx)) }),
    ...(items === undefined ? {} : { items: say.items(quantity(items, ctx.locale)) }),
  };
}

/** Two lines of markdown, together at most `max` units. `max` is at least 130. */
export function ruleLines(rule: Rule, ctx: ViewContext, max: number = longestRule): string {
  const { routing: say } = texts(ctx.locale);
  const first = [
    named(rule),
    at(rule),
    ...(rule.roleId === undefined ? [] : [`<@&${rule.roleId}>`]),
    say.style[rule.style],
  ].join(" · ");
  const asked = Object.values(conditions(rule, { ...say, status: say.entering }, ctx));
  const second = [
    ...(rule.status === undefined ? [say.newOrders] : []),
    ...asked,
    ...(rule.showsAmount ? [say.amount] : []),
  ].join(" · ");
  return `${first}\n-# ${clip(second, max - first.length - "\n-# ".length)}`;
}

/** `channelId` is the alert channel, undefined if alerts are off. */
export function ruleList(
  { routes, channelId }: { readonly routes: readonly Rule[]; readonly channelId: string | undefined },
  ctx: ViewContext,
): MessagePayload {
  const { routing: say } = texts(ctx.locale);
  const usual = channelId === undefined ? undefined : at({ channelId });
  if (routes.length === 0) return notice({ body: usual === undefined ? say.noneOff : say.none(usual), tone: "info" });
  const below = [usual === undefined ? say.off : say.otherwise(usual), `-# ${say.order}`].join("\n");
  const room = textBudget - say.title.length - below.length - 20;
  const each = Math.min(Math.floor(room / routes.length) - 1, longestRule);
  const lines = routes.map((rule, index) => {
    const number = `${index + 1}\\. `;
    return number + ruleLines(rule, ctx, each - number.length);
  });
  return notice({
    title: say.title,
    body: [...lines, below].join("\n"),
    tone: usual === undefined ? "warn" : "info",
  });
}

export interface RuleTest {
  readonly order: { readonly id: string; readonly status: string };
  readonly looks: readonly { readonly rule: Rule; readonly lack: Lack | undefined }[];
  readonly staff: Rule | undefined;
  readonly feeds: readonly Rule[];
  readonly channelId: string;
  /** Whether the status of `order` is one of the statuses of `/alerts set`. A rule can name other statuses. */
  readonly isAnnounced: boolean;
}

export function ruleTest(
  { order, looks, staff, feeds, channelId, isAnnounced }: RuleTest,
  ctx: ViewContext,
): MessagePayload {
  const { routing: say } = texts(ctx.locale);
  const channels = [...new Set(feeds.map(at))].join(", ");
  const result = [
    staff ? say.goesBy(at(staff), plain(staff.name, ruleNameMax)) : say.goesTo(at({ channelId })),
    feeds.length === 0 ? say.noFeeds : say.feeds(channels),
    ...(isAnnounced || staff?.status !== undefined ? [] : [say.notAnnounced]),
  ].join("\n");
  const title = say.testTitle(code(order.id, 66), statusView(order.status, ctx.locale, 40).text);
  const room = textBudget - title.length - result.length - 20;
  const each = Math.min(Math.floor(room / Math.max(looks.length, 1)) - 1, longestRule);
  const lines = looks.map(({ rule, lack }, index) => {
    const reason = lack === "unknownCategory" ? say.reasons[lack] : lack && conditions(rule, say.reasons, ctx)[lack];
    return clip(`${index + 1}\\. ${lack ? "➖" : "✅"} ${named(rule)} · ${reason ?? say.fits}`, each);
  });
  return notice({ title, body: [...lines, result].join("\n"), tone: "info" });
}
