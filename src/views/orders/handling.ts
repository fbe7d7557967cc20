import { isDiscordId } from "../../basics/discord-id.ts";
import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import { type Button, button, buttonRow } from "../parts/components.ts";
import { customIds } from "../parts/custom-ids.ts";
import type { MessagePatch } from "../parts/payload.ts";
import { dash, shortId } from "../parts/text.ts";
import { dateTime, relativeTime } from "../parts/time.ts";

/** Times are epoch ms. */
export interface Take {
  readonly by: string;
  readonly at: number;
  readonly done?: { readonly by: string; readonly at: number } | undefined;
}

/** Keys are order ids. */
export type Takes = ReadonlyMap<string, Take>;
export const noTakes: Takes = new Map();

export type HandlingPress = "take" | "done" | "back";

/** A press that changed the order. `at` is epoch ms. */
export interface OrderPress {
  readonly press: HandlingPress;
  readonly by: string;
  readonly at: number;
}

/** `past` are the presses before the present take, the oldest first. */
export interface OrderHandling {
  readonly take: Take | undefined;
  readonly past: readonly OrderPress[];
}

/** The oldest first. */
export function pressesOf({ by, at, done }: Take): OrderPress[] {
  return [{ press: "take", by, at }, ...(done ? [{ press: "done" as const, ...done }] : [])];
}

const who = (id: string) => (isDiscordId(id) ? `<@${id}>` : dash);

function pressLine({ press, by, at }: OrderPress, timeOf: (epochMs: number) => string, locale: Locale): string {
  const say = texts(locale).handling;
  const [sign, words] = {
    take: ["🙋", say.takenBy] as const,
    done: ["✅", say.doneBy] as const,
    back: ["↩️", say.givenBackBy] as const,
  }[press];
  return `${sign} ${words(who(by), timeOf(at))}`;
}

/** A line about the last press. No line if nobody has the order now. */
export function takeLine(take: Take | undefined, locale: Locale): string[] {
  const presses = take ? pressesOf(take) : [];
  return presses.slice(-1).map((press) => pressLine(press, relativeTime, locale));
}

/** The line of {@link takeLine}, and a line of at most 75 units for each earlier press, the newest first. */
export function historyLines({ take, past }: OrderHandling, locale: Locale): string[] {
  const before = [...past, ...(take ? pressesOf(take).slice(0, -1) : [])].reverse();
  return [...takeLine(take, locale), ...before.map((press) => `-# ${pressLine(press, dateTime, locale)}`)];
}

/** A line of at most 65 units for each taken order. */
function takeLines(ids: readonly string[], takes: Takes): string[] {
  return ids.flatMap((id) => {
    const take = takes.get(id);
    if (take === undefined) return [];
    const { by, at } = take.done ?? take;
    return [`${take.done ? "✅" : "🙋"} ${shortId(id)} · ${who(by)} · ${relativeTime(at)}`];
  });
}

export function handlingLines(ids: readonly string[], takes: Takes, locale: Locale): string[] {
  const [first = "", ...others] = ids;
  return others.length === 0 ? takeLine(takes.get(first), locale) : takeLines(ids, takes);
}

/** If a custom id would be too long, `idOf` returns undefined, and the button is left out. */
export function handlingButtons(
  take: Take | undefined,
  locale: Locale,
  idOf: (press: HandlingPress) => string | undefined,
): Button[] {
  const say = texts(locale).handling;
  const labels = { take: say.take, done: say.done, back: say.giveBack };
  const shown: readonly HandlingPress[] = take === undefined ? ["take"] : take.done ? ["back"] : ["done", "back"];
  return shown.flatMap((press) => {
    const id = idOf(press);
    return id === undefined ? [] : [button(id, labels[press], press === "done" ? { style: "Success" } : {})];
  });
}

const longestMessage = "9".repeat(20);

/** Whether the alert of an order can have buttons. Tests the longest custom id, which is on the card that the alert opens. */
export const hasButtons = (id: string): boolean =>
  customIds.order.buttons["card-take"].makeIfFits({ id, alert: longestMessage }) !== undefined;

/** `of`: as in {@link customIds}. */
export const openButton = (id: string, locale: Locale, of?: string): Button =>
  button(customIds.order.buttons.open.make({ id, of }), texts(locale).common.open, { style: "Primary" });

export function alertRow(id: string, take: Take | undefined, locale: Locale) {
  if (!hasButtons(id)) return [];
  const { buttons } = customIds.order;
  const others = handlingButtons(take, locale, (press) => buttons[press].make({ id }));
  return buttonRow(openButton(id, locale), ...others);
}

const leadingRole = /^<@&(\d{1,20})> /;
/** Begins a note in an alert, for example why the alert is not in the channel of a rule. */
export const noteSign = "📌";

/**
 * Renews the lines about handling in a posted alert. The patch leaves the embed out, so it does not undo a simultaneous edit of
 * the status. `content` is the alert's present content. `ids` are the ids of all orders in the alert, in its sequence.
 */
export function handledAlert(content: string, ids: readonly string[], takes: Takes, locale: Locale): MessagePatch {
  const [line = "", ...below] = content.split("\n");
  const [, role] = leadingRole.exec(line) ?? [];
  const [first = "", ...others] = ids;
  return {
    content: [line, ...handlingLines(ids, takes, locale), ...below.filter((other) => other.startsWith(noteSign))].join(
      "\n",
    ),
    ...(others.length === 0 ? { components: alertRow(first, takes.get(first), locale) } : {}),
    allowed_mentions: { parse: [], roles: role === undefined ? [] : [role] },
  };
}

export function handlingRefused(press: HandlingPress, take: Take | undefined, userId: string, locale: Locale): string {
  const say = texts(locale).handling;
  if (take === undefined) return say.isFree;
  const { by, at, done } = take;
  if (press !== "back" && done) return say.isDone(who(done.by), relativeTime(done.at));
  if (press !== "take") return say.notTheirs(who(by), relativeTime(at));
  return by === userId ? say.youHaveIt(relativeTime(at)) : say.hasIt(who(by), relativeTime(at));
}
