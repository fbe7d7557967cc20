// Limits that texts tell. The texts of all languages and the code that keeps a limit read it here, so they cannot differ.

/** Days that `/store log` shows. */
export const logDays = 90;
export const longestReminderDays = 7;
/** Discord takes answers for 15 minutes. The last minute is left for the final answer with its file. */
export const longestReplyMinutes = 14;
/** In characters, Discord's limit on a field of a window. */
export const typedMax = 4_000;
/** Longest title that a card shows, in characters. */
export const titleMax = 256;
export const uploadMebibytes = 1;

/** Creating a thousand products takes at least 8 minutes, and Discord accepts changes of an answer for 15 minutes. */
export const mostImportRows = 1_000;
export const mostImportCells = 50;
/** Days for which a row of an import is recognised in a later import. */
export const importDays = 30;

/** A typed text may have at most this many statuses, because each status may need a separate request. */
export const mostTypedStatuses = 25;
/** In the record, a usual rule takes 0.3 kB, and the longest one 1.3 kB (if every character is a byte). */
export const mostRules = 25;
/** For each status, a poll reads up to three pages, and more if there are new orders. */
export const mostRuleStatuses = 5;
/** In characters. */
export const ruleNameMax = 40;
