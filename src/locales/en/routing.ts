import { mostRuleStatuses, mostRules, ruleNameMax } from "../../basics/limits/limits-in-texts.ts";
import { plural } from "./plural.ts";

/** Alert rules: answers of `/alerts route`, and messages sent by rules. Arguments are safe in markdown. */
export const routing = {
  bought: (items: string) => `Someone bought ${items}`,
  boughtSomething: "Someone bought something",
  orders: (status: string, count: number) =>
    `${status}: ${plural(count, { one: "1 order", other: `${count} orders` })}`,
  fallback: (rule: string, channel: string) =>
    `${rule}: nothing could be posted in ${channel}. Its alerts come here until that is fixed.`,
  unsure: "The store did not say which category this is in, so rules by category could not be checked.",

  title: "Rules",
  none: (channel: string) =>
    `There are no rules: every alert goes to ${channel}. Create one with **/alerts route add**.`,
  noneOff: "There are no rules, and alerts are off. Turn them on with **/alerts set**.",
  otherwise: (channel: string) => `All other alerts go to ${channel}.`,
  off: "Alerts are off, so these rules do nothing. Turn alerts on with **/alerts set**.",
  order:
    "An alert follows the first rule that matches. Every matching public line is posted as well. Each rule applies to an order once.",

  style: { staff: "alert", feed: "public line" },
  newOrders: "new orders",
  entering: (status: string) => `orders that become ${status}`,
  product: (title: string) => `with ${title}`,
  category: (name: string) => `in the category of ${name}`,
  method: (text: string) => `paid with “${text}”`,
  from: (amount: string) => `${amount} or more`,
  to: (amount: string) => `${amount} or less`,
  items: (count: string) => `pieces: ${count} or more`,
  amount: "with the total",

  added: (rule: string) => `Rule **${rule}** created. It applies from now on.`,
  moved: (rule: string, place: string, of: string) => `Rule **${rule}** is now number ${place} of ${of}.`,
  removed: (rule: string) => `Rule **${rule}** deleted.`,
  noEveryone: "The bot never mentions @everyone, so this rule mentions no role.",
  noCustomers: (channel: string) =>
    `Alerts in ${channel} leave out the customer, because everyone may be able to read it. Choose a private channel to show customers.`,
  onlySome: (channel: string) =>
    `Not everyone in this server can read ${channel}, so some members will not see these lines.`,

  testTitle: (id: string, status: string) => `Order ${id}, if it arrived now with the status ${status}`,
  fits: "matches",
  goesBy: (channel: string, rule: string) => `The alert goes to ${channel}, by the rule **${rule}**.`,
  goesTo: (channel: string) => `The alert goes to ${channel}: no alert rule matches.`,
  feeds: (channels: string) => `Public lines: ${channels}.`,
  noFeeds: "Public lines: none.",
  notAnnounced: "But orders that arrive with this status are not announced. **/alerts set** chooses which are.",
  reasons: {
    status: (status: string) => `its status is not ${status}`,
    product: (title: string) => `it does not contain ${title}`,
    category: (name: string) => `it has nothing in the category of ${name}`,
    unknownCategory: "the store did not say which category its products are in",
    method: (text: string) => `its payment method does not contain “${text}”`,
    from: (amount: string) => `its total is less than ${amount}`,
    to: (amount: string) => `its total is more than ${amount}`,
    items: (count: string) => `it has fewer pieces than ${count}`,
  },

  refused: {
    name: `A rule needs a name of 1 to ${ruleNameMax} visible characters. Nothing was changed.`,
    exists:
      "There is already a rule with that name. Nothing was changed. Choose another name, or delete that rule with `/alerts route remove`.",
    full: `There are already ${mostRules} rules, the maximum. Nothing was changed. Delete one first.`,
    statuses: `There are already rules for ${mostRuleStatuses} statuses, the maximum. Nothing was changed. Use one of those, or delete a rule.`,
    status:
      "A rule takes one status. Nothing was changed. Choose one from the list, and add another rule for each other status.",
    product: "The store has no product with that title. Nothing was changed. Choose one from the list.",
    amount: "That is not an amount. Nothing was changed. Type one such as `100` or `1,234.56`.",
    reversed: "The smallest total is more than the largest. Nothing was changed. Swap `from` and `to`.",
    unknown: "There is no rule with that name. Nothing was changed. Choose one from the list.",
  },
};
