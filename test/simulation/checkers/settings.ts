import type { Deed, Evidence, OrderTruth } from "../world/record.ts";
import { once } from "./reading.ts";

export type Rule = Extract<Deed["what"], { kind: "rule" }>;

/** What people have set. */
export interface Settings {
  readonly alerts: { readonly channelId: string; readonly statuses: readonly string[] } | undefined;
  /** The first one counts first. */
  readonly rules: readonly Rule[];
  readonly privacy: "none" | "masked" | "full";
  readonly remind: { readonly afterMs: number; readonly quiet: string | undefined } | undefined;
}

const nothingSet: Settings = { alerts: undefined, rules: [], privacy: "none", remind: undefined };

function withDeed(before: Settings, { what }: Deed): Settings {
  const others = (name: string) => before.rules.filter((rule) => rule.name !== name);
  switch (what.kind) {
    case "alerts-set": {
      const statuses = what.statuses ?? before.alerts?.statuses ?? ["PENDING"];
      return { ...before, alerts: { channelId: what.channelId, statuses } };
    }
    case "alerts-off":
      return { ...before, alerts: undefined };
    case "rule":
      return before.rules.some(({ name }) => name === what.name)
        ? before
        : { ...before, rules: [...before.rules, what] };
    case "rule-gone":
      return { ...before, rules: others(what.name) };
    case "rule-first":
      return { ...before, rules: [...before.rules.filter(({ name }) => name === what.name), ...others(what.name)] };
    case "privacy":
      return { ...before, privacy: what.privacy };
    case "remind":
      return {
        ...before,
        // Quiet hours stay where none are named.
        remind:
          what.afterMs === undefined ? undefined : { afterMs: what.afterMs, quiet: what.quiet ?? before.remind?.quiet },
      };
    default:
      return before;
  }
}

/** More settings than that, of which nobody knows which are in force, are no ground for a judgement. */
const mostPossible = 200;

interface Moment {
  readonly at: number;
  /** One of these is in force from then on. */
  readonly possible: readonly Settings[];
}

const unique = (all: readonly Settings[]) => [...new Set(all)];

/** What may be in force, over time: what was asked for may hold from then on, what was done does. Equal settings are one object. */
const momentsOf = once(({ deeds }): Moment[] | undefined => {
  const known = new Map<string, Settings>();
  const alike = (settings: Settings): Settings => {
    const text = JSON.stringify(settings);
    const found = known.get(text) ?? settings;
    known.set(text, found);
    return found;
  };
  const changes = deeds.flatMap((deed) => [
    { at: deed.asked, deed, isSure: false },
    ...(deed.done === undefined ? [] : [{ at: deed.done, deed, isSure: true }]),
  ]);
  let possible = [alike(nothingSet)];
  const moments: Moment[] = [{ at: 0, possible }];
  for (const { at, deed, isSure } of changes.toSorted((one, other) => one.at - other.at)) {
    const after = possible.map((settings) => alike(withDeed(settings, deed)));
    possible = unique(isSure ? after : [...possible, ...after]);
    if (possible.length > mostPossible) return undefined;
    moments.push({ at, possible });
  }
  return moments;
});

/** Whether enough is known of what was set when: commands without an answer double what may be in force. */
export const isJudged = (evidence: Evidence): boolean => momentsOf(evidence) !== undefined;

/** Everything that may have been in force at some moment from `from` to `to`. */
export function possibleIn(evidence: Evidence, from: number, to: number): readonly Settings[] {
  const moments = momentsOf(evidence) ?? [];
  const within = moments.filter(
    ({ at }, index) => at <= to && (moments[index + 1]?.at ?? Number.POSITIVE_INFINITY) > from,
  );
  return unique(within.flatMap(({ possible }) => possible));
}

/** The statuses that surely ring, whatever may be in force, all the time. */
export function surelyRings(evidence: Evidence, status: string, from: number, to: number): boolean {
  return possibleIn(evidence, from, to).every(({ alerts }) => alerts?.statuses.includes(status));
}

export const surelyOff = (evidence: Evidence, from: number, to: number): boolean =>
  possibleIn(evidence, from, to).every(({ alerts }) => alerts === undefined);

const method = (text: string) => text.toLowerCase().replaceAll("_", " ");

/** Whether a rule names this order, when it comes to `status`; by the documents, not by the product's code. */
export function fits(rule: Rule, order: OrderTruth, status: string, isNew: boolean): boolean {
  if (rule.status === undefined ? !isNew : rule.status !== status) return false;
  if (rule.category !== undefined && rule.category !== order.category) return false;
  if (rule.method !== undefined && !method(order.method).includes(method(rule.method))) return false;
  return (rule.from === undefined || order.total >= rule.from) && (rule.to === undefined || order.total <= rule.to);
}

/** Where the alert of a new order belongs: where the category of its product is in no list, nobody knows of a rule by category. */
export function placeOf(
  { alerts, rules }: Settings,
  order: OrderTruth,
  status: string,
): { channelId: string; rule: Rule | undefined } | undefined {
  if (alerts === undefined) return undefined;
  const isUnsure = (one: Rule) => one.category !== undefined && order.category === undefined;
  const rule = rules.find(
    (one) => one.style === "staff" && fits(isUnsure(one) ? { ...one, category: undefined } : one, order, status, true),
  );
  return { channelId: rule === undefined || isUnsure(rule) ? alerts.channelId : rule.channelId, rule };
}
