import type { Locale } from "../../basics/locale.ts";
import type { Privacy } from "../../guilds/guild.ts";
import { texts } from "../../locales/texts.ts";
import { button, container, message, textDisplay, withAttachment } from "../parts/components.ts";
import { customIds } from "../parts/custom-ids.ts";
import { type Failure, failureText } from "../parts/failure.ts";
import { notice, tones } from "../parts/notice.ts";
import { formatNumber, timeLeft } from "../parts/numbers.ts";
import type { MessagePayload, PayloadFile } from "../parts/payload.ts";
import { plain } from "../parts/text.ts";

export type Exportable = "orders" | "products";

export interface ExportProgress {
  readonly read: number;
  /** The length of the list as far as it is known. */
  readonly about: number;
  readonly written: number;
  readonly leftMs: number;
  /** The export will probably need more time than Discord allows for an answer. */
  readonly isTooMuch: boolean;
}

export function exportProgress(what: Exportable, session: string, at: ExportProgress, locale: Locale): MessagePayload {
  const { exports: say, common } = texts(locale);
  const counts = [
    formatNumber(at.read, locale),
    formatNumber(at.about, locale),
    formatNumber(at.written, locale),
  ] as const;
  const body = [
    // The length of the list is unknown before the first page is read.
    ...(at.read === 0 ? [common.waiting] : [say.progress(...counts), timeLeft(at.leftMs, locale)]),
    ...(at.isTooMuch ? [say.tooMuch[what]] : []),
  ].join("\n");
  const cancel = button(customIds.export.buttons.cancel.make({ session }), common.cancel);
  return notice({ title: say.reading[what], body, tone: at.isTooMuch ? "warn" : "info" }, cancel);
}

/** `part` counts from 1. */
export function exportPart(part: number, file: PayloadFile, locale: Locale): MessagePayload {
  const text = texts(locale).exports.part(formatNumber(part, locale));
  return withAttachment(message([container(tones.ok.color, [textDisplay(text)])]), file);
}

export interface ExportResult {
  readonly what: Exportable;
  readonly read: number;
  readonly about: number;
  readonly written: number;
  readonly files: number;
  readonly end: "whole" | "late" | "ending" | { readonly failed: Failure };
  readonly skipped: number;
  readonly undated: number;
  readonly isCertain: boolean;
  /** Undefined for products. */
  readonly privacy: Privacy | undefined;
  /** IANA name. Undefined if no days were chosen. */
  readonly zone: string | undefined;
}

function endText({ end, what, read, about, written }: ExportResult, locale: Locale): string[] {
  const say = texts(locale).exports;
  if (end === "whole") return [];
  const part = written > 0 ? say.incomplete(formatNumber(read, locale), formatNumber(about, locale)) : say.noFile;
  if (end === "late") return [part, say.late, ...(what === "orders" ? [say.chooseDays] : [])];
  return end === "ending" ? [part, say.ending] : [failureText(end.failed, locale), part, say.broke];
}

/** Pass `file` if the export has only one file. */
export function exportDone(result: ExportResult, file: PayloadFile | undefined, locale: Locale): MessagePayload {
  const { exports: say, settings } = texts(locale);
  const { what, written, files, skipped, undated, isCertain, privacy, zone, end } = result;
  const count = formatNumber(written, locale);
  const head =
    files > 1
      ? say.doneInParts[what](count, formatNumber(files, locale))
      : written > 0
        ? say.done[what](count)
        : end === "whole"
          ? say.none[what]
          : undefined;
  const body = [
    ...(head === undefined ? [] : [head]),
    ...endText(result, locale),
    ...(isCertain ? [] : [say.uncertain]),
    ...(undated > 0 ? [say.undated(formatNumber(undated, locale))] : []),
    ...(skipped > 0 ? [settings.rowsLeftOut(formatNumber(skipped, locale))] : []),
    ...(written > 0 && privacy === "none" ? [say.customersHidden] : []),
    ...(written > 0 && privacy === "masked" ? [say.customersMasked] : []),
    ...(zone === undefined ? [] : [`-# ${say.days(plain(zone, 60))}`]),
    ...(written > 0 ? [`-# ${say.form}`] : []),
  ].join("\n");
  const isWhole = end === "whole" && isCertain && skipped === 0 && undated === 0;
  const payload = notice({ body, tone: isWhole ? (written > 0 ? "ok" : "info") : "warn" });
  return file === undefined ? payload : withAttachment(payload, file);
}

/** The work may have ended already. */
export function exportCancelled(what: Exportable | "stats", locale: Locale): MessagePayload {
  return notice({ body: texts(locale).exports.cancelled[what], tone: "info" });
}
