import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import {
  accent,
  type Button,
  button,
  buttonRow,
  container,
  type MenuOption,
  menuRow,
  message,
  textBudget,
  textDisplay,
} from "./components.ts";
import type { ListIds } from "./custom-ids.ts";
import { formatNumber } from "./numbers.ts";
import type { ActionRow, MessagePayload } from "./payload.ts";
import { clip } from "./text.ts";

export const pageSize = 10;

/** A page of rows that have all been read already. */
export const pageFrom = <Row>(rows: readonly Row[], page: number) => ({
  items: rows.slice((page - 1) * pageSize, page * pageSize),
  page,
  lastPage: Math.max(Math.ceil(rows.length / pageSize), 1),
});

export interface ShownPage<Row> {
  readonly items: readonly Row[];
  /** From 1. Greater than `lastPage` if the list became shorter, or a person typed too high a number. */
  readonly page: number;
  readonly lastPage: number;
  /** Finished markdown, for example about a filter that the API ignored. */
  readonly notes: readonly string[];
}

export interface SessionPage<Row> extends ShownPage<Row> {
  /** The session stores the query (the filters). */
  readonly session: string;
}

interface List<Row> extends SessionPage<Row> {
  readonly ids: ListIds;
  readonly say: Readonly<Record<"list" | "empty" | "emptyPage" | "pick", string>>;
  /** Finished markdown, at most 500 units. */
  readonly head?: readonly string[];
  /** Finished markdown: the texts have at most 350 UTF-16 units in all. Empty for the whole list. */
  readonly filter: readonly string[];
  entry(row: Row): { readonly text: string; readonly option: MenuOption };
}

/** `onlyFirst`: how many rows were read, if the list has more. `skipped`: the number of malformed rows. */
export function listNotes(
  { isIgnored = false, onlyFirst, skipped = 0 }: { isIgnored?: boolean; onlyFirst?: number; skipped?: number },
  locale: Locale,
): string[] {
  const say = texts(locale).settings;
  return [
    ...(isIgnored ? [say.ignoredFilters] : []),
    ...(onlyFirst === undefined ? [] : [say.onlyFirst(formatNumber(onlyFirst, locale))]),
    ...(skipped > 0 ? [say.rowsLeftOut(formatNumber(skipped, locale))] : []),
  ];
}

export function listPage<Row>(list: List<Row>, locale: Locale): MessagePayload {
  const { common } = texts(locale);
  const { say } = list;
  const last = Math.max(list.lastPage, 1);
  const beyond = list.page > last;
  const entries = list.items.slice(0, pageSize).map((row) => list.entry(row));
  // A row that moves between two reads of the store may come twice.
  const shown = [...new Map(entries.map((entry) => [entry.option.value, entry])).values()];
  const place = beyond ? common.jumpTitle : common.pageOf(String(list.page), String(last));
  const isEmpty = !beyond && last === 1 && shown.length === 0;
  const title = beyond || isEmpty ? `### ${say.list}` : `### ${say.list} · ${place}`;
  const isFiltered = list.filter.length > 0;
  const filter = isFiltered ? [`-# ${list.filter.join(" · ")}`] : [];
  const heading = [title, ...(list.head ?? []), ...filter].join("\n");
  const nothing = last === 1 ? say.empty : say.emptyPage;
  const gap = beyond ? common.beyondLast(String(list.page), String(last)) : nothing;
  const body = [...(beyond || shown.length === 0 ? [gap] : []), ...shown.map((entry) => entry.text)];
  const notes = list.notes.length === 0 ? [] : [list.notes.map((note) => `-# ${note}`).join("\n")];
  const used = heading.length + body.join("\n").length;
  return message([
    container(accent, [
      textDisplay(heading),
      textDisplay(body.join("\n")),
      ...notes.map((text) => textDisplay(clip(text, textBudget - used))),
    ]),
    ...menuRow(
      list.ids.menus.open.make({ session: list.session, page: list.page }),
      say.pick,
      shown.map((entry) => entry.option),
    ),
    ...(isEmpty ? [] : navigation(list, last, place, locale)),
    ...(isEmpty && isFiltered && "clear" in list.ids.buttons
      ? buttonRow(button(list.ids.buttons.clear.make({ session: list.session }), common.clear))
      : []),
  ]);
}

/** `to` makes the custom id for a page. */
export function pageRow(
  to: (page: number) => string,
  { page, last }: { readonly page: number; readonly last: number },
  locale: Locale,
  ...between: Button[]
): ActionRow[] {
  const { common } = texts(locale);
  return buttonRow(
    button(to(Math.max(Math.min(page - 1, last), 1)), common.previous, { disabled: page <= 1 }),
    ...between,
    button(to(page + 1), common.next, { disabled: page >= last }),
  );
}

function navigation({ ids, session, page }: List<unknown>, last: number, place: string, locale: Locale): ActionRow[] {
  const jump = button(ids.buttons.jump.make({ session, lastPage: last }), place, { disabled: last <= 1 });
  return pageRow((target) => ids.buttons.page.make({ session, page: target }), { page, last }, locale, jump);
}

/** At most four buttons, then the button that leads back to the list. */
export function backRow(ids: ListIds, session: string, page: number, locale: Locale, ...others: Button[]): ActionRow[] {
  return buttonRow(...others, button(ids.buttons.page.make({ session, page }), texts(locale).common.back));
}
