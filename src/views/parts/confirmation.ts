import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import { button, row } from "./components.ts";
import { notice } from "./notice.ts";
import type { MessagePayload } from "./payload.ts";

/** A question with Confirm and Cancel. */
export function confirmation(
  question: { readonly title?: string; readonly body: string },
  ids: { readonly confirm: string; readonly cancel: string },
  locale: Locale,
): MessagePayload {
  const { common } = texts(locale);
  return notice({ ...question, tone: "warn" }, [
    row(
      button(ids.confirm, common.confirm, { style: "danger" }),
      button(ids.cancel, common.cancel, { style: "secondary" }),
    ),
  ]);
}
