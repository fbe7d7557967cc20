import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import type { NewProduct } from "../../store-api/schemas.ts";
import {
  accent,
  button,
  buttonRow,
  container,
  gallery,
  message,
  separator,
  textDisplay,
  withAttachment,
} from "../parts/components.ts";
import type { ViewContext } from "../parts/context.ts";
import { customIds } from "../parts/custom-ids.ts";
import { type Failure, failureText } from "../parts/failure.ts";
import { andMore, fitLines } from "../parts/fit-lines.ts";
import { quantity } from "../parts/money.ts";
import { notice } from "../parts/notice.ts";
import { timeLeft, understoodPrice } from "../parts/numbers.ts";
import type { MessagePayload, PayloadFile } from "../parts/payload.ts";
import { code, plain } from "../parts/text.ts";
import { pictureUrl, priceLine } from "../products/product-card.ts";

const ids = customIds["import-products"].buttons;

/** `row` is the number that a spreadsheet shows. */
export interface ImportProblem {
  readonly row: number;
  /** The name in the file; "" for a fault of the whole row. */
  readonly column: string;
  readonly code:
    | "bad_title"
    | "bad_price"
    | "bad_decimals"
    | "bad_category"
    | "bad_picture"
    | "bad_type"
    | "too_long"
    | "more_cells";
}

/** Numbers of rows. A row without a result was not sent. */
export interface ImportCounts {
  readonly all: number;
  readonly created: number;
  /** Rows whose products an earlier import created. */
  readonly before: number;
  readonly refused: number;
  readonly unclear: number;
}

export interface ImportProgress extends ImportCounts {
  readonly leftMs: number;
}

const problemsShown = 10;
const doubtfulShown = 5;
const cardsShown = 3;

/** A file with faults is not imported. The attached `file` lists all of them. */
export function importProblems(problems: readonly ImportProblem[], file: PayloadFile, locale: Locale): MessagePayload {
  const { imports: say } = texts(locale);
  const lines = problems.slice(0, problemsShown).map(({ row: at, column, code: what }) => {
    const place = quantity(at, locale);
    return column === ""
      ? say.faultOfRow(place, say.faults[what])
      : say.fault(place, plain(column, 40), say.faults[what]);
  });
  const more = problems.length - lines.length;
  const body = [
    say.faulty(problems.length, quantity(problems.length, locale)),
    ...lines.map((line) => `- ${line}`),
    ...(more > 0 ? [andMore(more, locale), say.allFaults] : []),
  ].join("\n");
  return withAttachment(notice({ body, tone: "warn" }), file);
}

/** `all`, `before`, `unclear` and `alike` are numbers of rows. */
export interface ImportPreview {
  readonly first: readonly { readonly row: number; readonly product: NewProduct }[];
  readonly all: number;
  readonly before: number;
  /** Rows that an earlier import sent without getting a clear answer. */
  readonly unclear: number;
  /** Rows whose product seems to be in the store. */
  readonly alike: number;
  readonly unknown: readonly string[];
  readonly doubtful: readonly { readonly row: number; readonly typed: string; readonly amount: number }[];
}

function card({ row: at, product }: ImportPreview["first"][number], ctx: ViewContext): string {
  const { imports: say, products } = texts(ctx.locale);
  const { info, pricing, categoryId } = product;
  const { price, comparation } = pricing;
  const pictures = info.images?.length ?? 0;
  const description = plain(info.description ?? "", 200, "");
  return [
    `**${plain(info.title, 150, products.untitled)}** · ${priceLine({ price, comparation }, ctx)}`,
    ...(description === "" ? [] : [description]),
    `-# ${[
      say.row(quantity(at, ctx.locale)),
      `${products.category}: ${code(categoryId, 60)}`,
      ...(pictures === 0 ? [] : [say.pictures(pictures, quantity(pictures, ctx.locale))]),
    ].join(" · ")}`,
  ].join("\n");
}

function remarks({ before, unclear, alike, unknown, doubtful, all }: ImportPreview, ctx: ViewContext): string[] {
  const { locale } = ctx;
  const { imports: say } = texts(locale);
  const more = doubtful.length - doubtfulShown;
  return [
    ...(before > 0 ? [say.before(before, quantity(before, locale))] : []),
    ...(before > 0 && before === all ? [say.allBefore] : []),
    ...(unclear > 0 ? [say.sentBefore(unclear, quantity(unclear, locale))] : []),
    ...(alike > 0 ? [say.alike(alike, quantity(alike, locale))] : []),
    ...doubtful
      .slice(0, doubtfulShown)
      .map(({ row: at, typed, amount }) =>
        say.understood(quantity(at, locale), ...understoodPrice(typed, amount, ctx)),
      ),
    ...(more > 0 ? [andMore(more, locale)] : []),
    ...(unknown.length === 0 ? [] : [say.unknownColumns(unknownList(unknown, locale))]),
  ];
}

const unknownList = (unknown: readonly string[], locale: Locale) =>
  fitLines(unknown, (name) => code(name, 40), 300, locale).replaceAll("\n", ", ");

/** Without a `session` there is nothing to create, so there is no button. */
export function importPreview(session: string | undefined, preview: ImportPreview, ctx: ViewContext): MessagePayload {
  const { imports: say, common } = texts(ctx.locale);
  const { all, before, first } = preview;
  const cards = first.slice(0, cardsShown);
  const pictures = cards.flatMap(({ product }) => product.info.images?.map(pictureUrl).find(Boolean) ?? []);
  const others = all - before - cards.length;
  const head = [say.preview(all, quantity(all, ctx.locale)), ...remarks(preview, ctx)].join("\n");
  return message([
    container(accent, [
      textDisplay(head),
      ...cards.flatMap((one) => [separator(), textDisplay(card(one, ctx))]),
      ...(pictures.length === 0 ? [] : [gallery(pictures)]),
      separator(),
      textDisplay([...(others > 0 ? [andMore(others, ctx.locale)] : []), say.noStock].join("\n")),
    ]),
    ...(session === undefined
      ? []
      : buttonRow(
          button(ids.create.make({ session }), common.create, { style: "Success" }),
          button(ids.discard.make({ session }), common.cancel, { style: "Danger" }),
        )),
  ]);
}

function countLines(counts: ImportCounts, locale: Locale): string[] {
  const say = texts(locale).imports;
  const { before, refused, unclear } = counts;
  return [
    ...(before > 0 ? [say.leftOut(quantity(before, locale))] : []),
    ...(refused > 0 ? [say.refused(refused, quantity(refused, locale))] : []),
    ...(unclear > 0 ? [say.unclear(unclear, quantity(unclear, locale))] : []),
  ];
}

export function importProgress(
  { session, run }: { readonly session: string; readonly run: string },
  at: ImportProgress,
  locale: Locale,
): MessagePayload {
  const { imports: say, common } = texts(locale);
  const body = [
    say.progress(quantity(at.created, locale), quantity(at.all - at.before, locale)),
    ...(at.created + at.refused === 0 ? [] : [timeLeft(at.leftMs, locale)]),
    ...countLines({ ...at, unclear: 0 }, locale),
    say.ifCut,
  ].join("\n");
  const cancel = button(ids.cancel.make({ session, run }), common.cancel, { style: "Danger" });
  return notice({ title: say.running, body, tone: "info" }, cancel);
}

/** "unclear": too many rows were sent without a clear answer of the store. `failed`: the store or the storage failed. */
export type ImportEnd = "whole" | "cancelled" | "late" | "ending" | "unclear" | { readonly failed: Failure };

function endLines(end: ImportEnd, locale: Locale): string[] {
  const say = texts(locale).imports;
  if (end === "whole") return [];
  if (end === "unclear") return [say.tooUnclear];
  return typeof end === "string" ? [say[end]] : [`${say.stopped} ${failureText(end.failed, locale)}`];
}

const createRemaining = (session: string, locale: Locale) =>
  button(ids.create.make({ session }), texts(locale).imports.createRemaining, { style: "Primary" });

/** The attached file has the result of each row. `session` is the session of the uploaded file; undefined if no row is left. */
export function importDone(
  session: string | undefined,
  { end, ...counts }: ImportCounts & { readonly end: ImportEnd },
  file: PayloadFile,
  locale: Locale,
): MessagePayload {
  const say = texts(locale).imports;
  const rest = Math.max(counts.all - counts.created - counts.before - counts.refused, 0);
  const open = rest - counts.unclear;
  const body = [
    say.done(counts.created, quantity(counts.created, locale)),
    ...countLines(counts, locale),
    ...(open > 0 ? [say.open(quantity(open, locale))] : []),
    ...endLines(end, locale),
    ...(open > 0 ? [say.goOn] : []),
  ].join("\n");
  const isWhole = end === "whole" && rest === 0 && counts.refused === 0;
  const buttons = session === undefined || rest === 0 ? [] : [createRemaining(session, locale)];
  return withAttachment(notice({ body, tone: isWhole ? "ok" : "warn" }, ...buttons), file);
}

/** Answers **Cancel** if the import has ended already, or if the bot was restarted. */
export function importOver(session: string, locale: Locale): MessagePayload {
  return notice({ body: texts(locale).imports.over, tone: "warn" }, createRemaining(session, locale));
}
