import type { Locale } from "../../basics/locale.ts";
import type { Texts } from "../../locales/shape.ts";
import { texts } from "../../locales/texts.ts";
import type { StoreErrorCode } from "../../store-api/store-error.ts";
import { notice } from "./notice.ts";
import type { ActionRow, MessagePayload } from "./payload.ts";
import { code, plain } from "./text.ts";

type Sentences = Texts["problems"];
/** The codes whose sentence needs nothing else: to add one, write its sentence. */
type PlainCode = {
  [Code in keyof Sentences]: Sentences[Code] extends string ? Exclude<Code, StoreErrorCode | "forbidden"> : never;
}[keyof Sentences];

/** Why somebody did not get what was asked for. A `StoreError` fits as it is. */
export type Problem =
  | { readonly code: StoreErrorCode; readonly detail?: string; readonly retryAfterMs?: number }
  | { readonly code: "cooldown"; readonly seconds: number }
  | { readonly code: "bad_page"; readonly lastPage: number }
  /** `today` as a day is typed. */
  | { readonly code: "bad_day"; readonly today: string }
  /** `line` of the file, from 1. */
  | { readonly code: "import_broken"; readonly line: number }
  /** `columns` that a file lacks, as they are called. */
  | { readonly code: "import_columns"; readonly columns: string }
  /** A `column` that a file has more than once. */
  | { readonly code: "import_twice"; readonly column: string }
  /** `why` a rule about where orders go is not taken. */
  | { readonly code: "bad_route"; readonly why: keyof Texts["routing"]["refused"] }
  /** `permissions`: Discord's own names of what is missing, where that is known. */
  | { readonly code: "forbidden"; readonly permissions?: readonly string[] }
  | { readonly code: PlainCode };

/** Thrown by commands and dispatch: shown to the caller in place of an answer. */
export class ProblemError extends Error {
  readonly code: Problem["code"];
  readonly problem: Problem;
  /** Buttons that lead on, below the sentence. */
  readonly rows: readonly ActionRow[];

  constructor(
    problem: Problem,
    { rows = [], cause }: { readonly rows?: readonly ActionRow[]; readonly cause?: unknown } = {},
  ) {
    super(problem.code, { cause });
    this.name = "ProblemError";
    this.code = problem.code;
    this.problem = problem;
    this.rows = rows;
  }
}

/** Problems that somebody has to deal with. With all others the reader can go on at once. */
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
  "internal",
]);

/** Whole seconds from 1 to a day; what is no such number counts as one. */
const wholeSeconds = (seconds: number) => Math.min(Math.max(Math.ceil(Number.isNaN(seconds) ? 1 : seconds), 1), 86_400);

/** What happened, whether anything was changed where it could have been, and what to do next, as finished markdown. */
export function problemText(problem: Problem, locale: Locale): string {
  const say = texts(locale).problems;
  switch (problem.code) {
    case "invalid": {
      const detail = plain(problem.detail ?? "", 300, "");
      return detail === "" ? say.invalid : say.invalid_because(detail);
    }
    case "rate_limited":
      // Half a minute is what a caller can wait for when the API names no time.
      return say.rate_limited(wholeSeconds((problem.retryAfterMs ?? 30_000) / 1000));
    case "cooldown":
      return say.cooldown(wholeSeconds(problem.seconds));
    case "bad_page":
      return say.bad_page(String(problem.lastPage));
    case "bad_day":
      return say.bad_day(problem.today);
    case "import_broken":
      return say.import_broken(String(problem.line));
    case "bad_route":
      return texts(locale).routing.refused[problem.why];
    case "import_columns":
      return say.import_columns(problem.columns);
    case "import_twice":
      return say.import_twice(problem.column);
    case "forbidden": {
      const names = (problem.permissions ?? []).map((name) => `**${plain(name, 60)}**`).join(", ");
      return names === "" ? say.forbidden : say.forbidden_without(names);
    }
    default:
      return say[problem.code];
  }
}

/** The answer to a failed request; `reference` also stands in the log, and is shown where somebody may have to look there. */
export function problemNotice(
  problem: Problem,
  locale: Locale,
  reference?: string,
  rows?: readonly ActionRow[],
): MessagePayload {
  const text = problemText(problem, locale);
  // Without the right to use a command nothing went wrong, and there is nothing to look up.
  const isShown = reference !== undefined && problem.code !== "not_allowed";
  const small = isShown ? `\n-# ${texts(locale).common.reference(code(reference, 60))}` : "";
  return notice({ body: text + small, tone: serious.has(problem.code) ? "error" : "warn" }, rows);
}

/** What the bot needs in the channel of alerts. */
export type NeededPermission = Exclude<keyof Texts["permissions"], "MentionEveryone">;

/** Their names as Discord's settings show them to this reader. */
export function permissionNames(missing: readonly NeededPermission[], locale: Locale): string[] {
  return missing.map((permission) => texts(locale).permissions[permission]);
}
