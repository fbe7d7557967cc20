import { type Action, type Evidence, minute, type OrderTruth } from "../world/record.ts";
import { once } from "./reading.ts";

export type Rule = Extract<Action["what"], { kind: "rule" }>;

export interface Settings {
  readonly isConnected: boolean;
  readonly alerts:
    | { readonly channelId: string; readonly statuses: readonly string[]; readonly role: string | undefined }
    | undefined;
  /** In their sequence: the first rule that matches has priority. */
  readonly rules: readonly Rule[];
  readonly privacy: "none" | "masked" | "full";
  readonly remind: { readonly afterMs: number; readonly quiet: string | undefined } | undefined;
}

const nothingSet: Settings = { isConnected: false, alerts: undefined, rules: [], privacy: "none", remind: undefined };

/** Commands that also work while no store is connected. Without a store, the bot refuses all other commands. */
const withoutStore: readonly Action["what"]["kind"][] = ["connect", "disconnect", "alerts-off", "privacy"];
/** Actions that change none of these settings. */
const otherActions: readonly Action["what"]["kind"][] = ["staff", "digest", "press"];

function withAction(before: Settings, { what }: Action): Settings {
  const others = (name: string) => before.rules.filter((rule) => rule.name !== name);
  switch (what.kind) {
    case "connect":
      return { ...before, isConnected: true };
    case "disconnect":
      return nothingSet;
    case "alerts-set": {
      const statuses = what.statuses ?? before.alerts?.statuses ?? ["PENDING"];
      return { ...before, alerts: { channelId: what.channelId, statuses, role: what.role ?? before.alerts?.role } };
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
        // A command without quiet hours keeps the present ones.
        remind:
          what.afterMs === undefined ? undefined : { afterMs: what.afterMs, quiet: what.quiet ?? before.remind?.quiet },
      };
    default:
      return before;
  }
}

/**
 * While a command runs, its person sees that the bot is thinking. Before it takes effect, the bot may ask Discord for the
 * channel and its roles. It repeats a request up to three times, and waits 15 s for each answer.
 */
const longestRunMs = 3 * minute;

/** Maximum number of states that are possible at one time. With more, too little is known to check the history. */
const mostPossible = 200;

interface Moment {
  readonly at: number;
  /** One of these settings is in force from this moment on. */
  readonly possible: readonly Settings[];
}

const unique = (all: readonly Settings[]) => [...new Set(all)];

/** What may be so at one time. */
interface State {
  readonly settings: Settings;
  /** Commands that are under way, and have not taken effect yet. */
  readonly waiting: readonly Action[];
}

const isAble = ({ isConnected }: Settings, { what }: Action) => isConnected || withoutStore.includes(what.kind);

/** Adds the states that follow if commands that are under way take effect, in any sequence. */
function spread(states: readonly State[], unanswered: readonly Action[]): State[] {
  const found = new Map(states.map((state) => [JSON.stringify(state), state]));
  for (const { settings, waiting } of found.values()) {
    for (const action of [...waiting, ...unanswered]) {
      if (!isAble(settings, action)) continue;
      const next = { settings: withAction(settings, action), waiting: waiting.filter((other) => other !== action) };
      const text = JSON.stringify(next);
      if (!found.has(text)) found.set(text, next);
    }
  }
  return [...found.values()];
}

/** The states after a command began, or after its answer said that it has taken effect. */
function statesAfter(states: readonly State[], action: Action, isDone: boolean): State[] {
  if (isDone) return states.filter(({ waiting }) => !waiting.includes(action));
  if (action.done === undefined) return [...states];
  return states.map((one) => ({ ...one, waiting: [...one.waiting, action] }));
}

/**
 * The settings that may be in force, over time. A command takes effect after it is sent, and before its answer says so. Without
 * such an answer, it takes effect at any time within {@link longestRunMs}, or never. A restored copy has the settings of the
 * time at which it was made. Equal settings are one object.
 */
const momentsOf = once(({ actions, troubles }): Moment[] | undefined => {
  const known = new Map<string, Settings>();
  const alike = (settings: Settings): Settings => {
    const text = JSON.stringify(settings);
    const found = known.get(text) ?? settings;
    known.set(text, found);
    return found;
  };
  const changes = [
    ...actions
      .filter(({ what }) => !otherActions.includes(what.kind))
      .flatMap((action) => [
        { at: action.asked, action, isDone: false },
        ...(action.done === undefined ? [] : [{ at: action.done, action, isDone: true }]),
      ]),
    ...troubles.flatMap(({ from, copiedAt }) => (copiedAt === undefined ? [] : [{ at: from, copiedAt }])),
  ];
  const unanswered = actions.filter(({ what, done }) => done === undefined && !otherActions.includes(what.kind));
  let states: State[] = [{ settings: nothingSet, waiting: [] }];
  const moments: Moment[] = [{ at: 0, possible: [alike(nothingSet)] }];
  for (const { at, ...change } of changes.toSorted((one, other) => one.at - other.at)) {
    if ("copiedAt" in change) {
      const copied = moments.findLast((moment) => moment.at <= change.copiedAt)?.possible ?? [];
      states = copied.map((settings) => ({ settings, waiting: [] }));
    } else {
      const open = unanswered.filter(({ asked, failed }) => asked <= at && at <= asked + (failed ? 0 : longestRunMs));
      states = spread(statesAfter(states, change.action, change.isDone), open);
    }
    if (states.length === 0 || states.length > mostPossible) return undefined;
    moments.push({ at, possible: unique(states.map(({ settings }) => alike(settings))) });
  }
  return moments;
});

/**
 * Whether enough is known about the settings in force. Each command without an answer may double the possible settings. If such
 * a command took effect even later, perhaps no settings fit the later answers.
 */
export const isJudged = (evidence: Evidence): boolean => momentsOf(evidence) !== undefined;

/** All settings that may have been in force between two times. */
export function possibleIn(evidence: Evidence, from: number, to: number): readonly Settings[] {
  const moments = momentsOf(evidence) ?? [];
  const within = moments.filter(
    ({ at }, index) => at <= to && (moments[index + 1]?.at ?? Number.POSITIVE_INFINITY) > from,
  );
  return unique(within.flatMap(({ possible }) => possible));
}

/** Whether a status triggers an alert with all settings that may be in force between two times. */
export function surelyRings(evidence: Evidence, status: string, from: number, to: number): boolean {
  return possibleIn(evidence, from, to).every(({ alerts }) => alerts?.statuses.includes(status));
}

/** Number of statuses whose lists the bot may have read between two times. */
export const statusesAsked = (evidence: Evidence, from: number, to: number): number =>
  new Set(
    possibleIn(evidence, from, to).flatMap(({ alerts, rules }) => [
      ...(alerts?.statuses ?? []),
      ...rules.flatMap(({ status }) => status ?? []),
    ]),
  ).size;

export const surelyOn = (evidence: Evidence, from: number, to: number): boolean =>
  possibleIn(evidence, from, to).every(({ alerts }) => alerts !== undefined);

export const surelyOff = (evidence: Evidence, from: number, to: number): boolean =>
  possibleIn(evidence, from, to).every(({ alerts }) => alerts === undefined);

export const surelyDisconnected = (evidence: Evidence, from: number, to: number): boolean =>
  possibleIn(evidence, from, to).every(({ isConnected }) => !isConnected);

const method = (text: string) => text.toLowerCase().replaceAll("_", " ");

/** Whether a rule matches an order that enters `status`. Follows the documents, not the product's code. */
export function fits(rule: Rule, order: OrderTruth, status: string, isNew: boolean): boolean {
  if (rule.status === undefined ? !isNew : rule.status !== status) return false;
  if (rule.category !== undefined && rule.category !== order.category) return false;
  if (rule.product !== undefined && rule.product.id !== order.product) return false;
  if (rule.method !== undefined && !method(order.method).includes(method(rule.method))) return false;
  if (rule.items !== undefined && order.pieces < rule.items) return false;
  return (rule.from === undefined || order.total >= rule.from) && (rule.to === undefined || order.total <= rule.to);
}

/** The first matching staff rule. `isUnsure`: the product's category is unknown, so the rule may match, but does not apply. */
export function firstRule(rules: readonly Rule[], order: OrderTruth, status: string, isNew: boolean) {
  const isUnsure = (one: Rule) => one.category !== undefined && order.category === undefined;
  const rule = rules.find(
    (one) => one.style === "staff" && fits(isUnsure(one) ? { ...one, category: undefined } : one, order, status, isNew),
  );
  return { rule, isUnsure: rule !== undefined && isUnsure(rule) };
}

/** Returns the channel for the alert of a new order, and the role that the alert mentions. */
export function placeOf({ alerts, rules }: Settings, order: OrderTruth, status: string) {
  if (alerts === undefined) return undefined;
  const { rule, isUnsure } = firstRule(rules, order, status, true);
  const { channelId, role } = rule === undefined || isUnsure ? alerts : rule;
  return { channelId, role, rule, isUnsure };
}
