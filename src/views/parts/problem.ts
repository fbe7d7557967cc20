import type { Locale } from "../../basics/locale.ts";
import type { Texts } from "../../locales/shape.ts";
import { texts } from "../../locales/texts.ts";
import type { StoreErrorCode } from "../../store-api/store-error.ts";
import type { Button } from "./components.ts";
import { notice } from "./notice.ts";
import type { MessagePayload } from "./payload.ts";
import { code, plain } from "./text.ts";

type Sentences = Texts["problems"];
/** Codes whose sentence has no arguments. To add a code, write its sentence in the texts. */
export type PlainCode = {
  [Code in keyof Sentences]: Sentences[Code] extends string ? Exclude<Code, StoreErrorCode | "forbidden"> : never;
}[keyof Sentences];

/** A `StoreError` fits this type. */
export type Problem =
  | { readonly code: StoreErrorCode; readonly detail?: string; readonly retryAfterMs?: number }
  | { readonly code: "cooldown"; readonly seconds: number }
  /**
   * `about`: the last page (bad_page), today's date as people type it (bad_day), a line from 1 (import_broken, import_wide), or
   * columns (import_columns, import_twice).
   */
  | {
      readonly code: "bad_page" | "bad_day" | "import_broken" | "import_wide" | "import_columns" | "import_twice";
      readonly about: string;
    }
  | { readonly code: "bad_route"; readonly why: keyof Texts["routing"]["refused"] }
  /** `missing`: the permissions that the bot lacks, if they are known. */
  | { readonly code: "forbidden"; readonly missing?: readonly NeededPermission[] }
  | { readonly code: PlainCode };

/** The caller of a command sees the problem's sentence in place of an answer. */
export class ProblemError extends Error {
  readonly code: Problem["code"];
  readonly problem: Problem;
  readonly buttons: readonly Button[];

  constructor(
    problem: Problem,
    { buttons = [], cause }: { readonly buttons?: readonly Button[]; readonly cause?: unknown } = {},
  ) {
    super(problem.code, { cause });
    this.name = "ProblemError";
    this.code = problem.code;
    this.problem = problem;
    this.buttons = buttons;
  }
}

const serious: ReadonlySet<Problem["code"]> = new Set([
  "unauthorized",
  "invalid",
  "rate_limited",
  "unavailable",
  "timeout",
  "malformed",
  "too_large",
  "ambiguous",
  "forbidden",
  "channel_gone",
  "someone_elses",
  "unknown_action",
  "guild_only",
  "storage",
  "undecryptable",
  "full",
  "discord_down",
  "discord_silent",
  "not_begun",
  "not_shown",
  "internal",
]);

const wholeSeconds = (seconds: number) => Math.min(Math.max(Math.ceil(Number.isNaN(seconds) ? 1 : seconds), 1), 86_400);

/** Finished markdown: what happened, whether anything changed, and what to do next. */
export function problemText(problem: Problem, locale: Locale): string {
  const say = texts(locale).problems;
  if ("about" in problem) return say[problem.code](problem.about);
  switch (problem.code) {
    case "invalid": {
      const detail = plain(problem.detail ?? "", 300, "");
      return detail === "" ? say.invalid : say.invalid_because(detail);
    }
    case "rate_limited":
      return say.rate_limited(wholeSeconds((problem.retryAfterMs ?? 30_000) / 1000));
    case "cooldown":
      return say.cooldown(wholeSeconds(problem.seconds));
    case "bad_route":
      return texts(locale).routing.refused[problem.why];
    case "forbidden": {
      const names = permissionNames(problem.missing ?? [], locale)
        .map((name) => `**${name}**`)
        .join(", ");
      return names === "" ? say.forbidden : say.forbidden_without(names);
    }
    default:
      return say[problem.code];
  }
}

/** With `reference`, an operator finds the failure in the log. */
export function problemNotice(
  problem: Problem,
  locale: Locale,
  reference?: string,
  buttons: readonly Button[] = [],
): MessagePayload {
  const text = problemText(problem, locale);
  const small = reference === undefined ? "" : `\n-# ${texts(locale).common.reference(code(reference, 60))}`;
  return notice({ body: text + small, tone: serious.has(problem.code) ? "error" : "warn" }, ...buttons);
}

export type NeededPermission = Exclude<keyof Texts["permissions"], "MentionEveryone">;

/** The names are those in Discord's settings. */
export function permissionNames(missing: readonly NeededPermission[], locale: Locale): string[] {
  return missing.map((permission) => texts(locale).permissions[permission]);
}
