import type { Checker } from "../world/record.ts";
import { alerted } from "./alerted.ts";
import { answers } from "./answers.ts";
import { budgets } from "./budgets.ts";
import { commands } from "./commands.ts";
import { contents } from "./contents.ts";
import { delays } from "./delays.ts";
import { digests } from "./digests.ts";
import { feeds } from "./feeds.ts";
import { health } from "./health.ts";
import { early, notices } from "./notices.ts";
import { payments } from "./payments.ts";
import { place } from "./place.ts";
import { privacy } from "./privacy.ts";
import { wasRestored } from "./reading.ts";
import { refunds } from "./refunds.ts";
import { reminders } from "./reminders.ts";
import { requestsToDiscord } from "./requests-to-discord.ts";
import { requestsToStore } from "./requests-to-store.ts";
import { rules } from "./rules.ts";
import { sequence } from "./sequence.ts";
import { silent } from "./silent.ts";
import { status } from "./status.ts";
import { statuses } from "./statuses.ts";
import { takes } from "./takes.ts";

/**
 * A restored copy lacks what people set after it was made, and what the bot told them after that. So these checkers skip
 * histories with a restored copy.
 */
const notRestored: readonly Checker[] = [place, statuses, silent, privacy, takes, notices];

export const checkers: readonly Checker[] = [
  alerted,
  answers,
  payments,
  refunds,
  reminders,
  feeds,
  digests,
  budgets,
  health,
  contents,
  commands,
  sequence,
  delays,
  early,
  requestsToStore,
  requestsToDiscord,
  rules,
  status,
  (evidence) => (wasRestored(evidence) ? [] : notRestored.flatMap((check) => check(evidence))),
];
