/** What is looked at, as the lines begin. */
export type Checked =
  | "Node"
  | "Settings"
  | "Discord"
  | "Gateway"
  | "Commands"
  | "Store"
  | "Storage"
  | "Queue"
  | "Keys"
  | "Clock"
  | "Bot"
  | "Server"
  /** In place of each of the others that needs what is not there. */
  | "All else";

interface Said {
  readonly check: Checked;
  /** A sentence without a stop, and nothing secret in it. */
  readonly says: string;
  /** Id of the Discord server that it is about. */
  readonly server?: string;
}

/** What one look came to. `warn`: it works, and somebody should know; `skipped`: something before it failed. */
export type Finding =
  | (Said & { readonly state: "ok" | "skipped" })
  | (Said & { readonly state: "warn" | "wrong" /** What to do next. */; readonly remedy: string });

/** What came from outside, for a terminal: one line of it, without what moves the cursor or colours. */
export const shown = (text: string, most = 100): string =>
  text
    .replaceAll(/\p{C}+/gu, " ")
    .trim()
    .slice(0, most)
    .toWellFormed();

export const ok = (check: Checked, says: string): Finding => ({ check, state: "ok", says });
export const warn = (check: Checked, says: string, remedy: string): Finding => ({ check, state: "warn", says, remedy });
export const wrong = (check: Checked, says: string, remedy: string): Finding => ({
  check,
  state: "wrong",
  says,
  remedy,
});
/** @param lacking what it needs and was not to be had */
export const skipped = (check: Checked, lacking: string): Finding => ({
  check,
  state: "skipped",
  says: `not checked: ${lacking}`,
});
