import type { Bus } from "./bus.ts";
import { type InteractionRecord, isLoading, type OfferedChoice, type OpenedModal } from "./interactions.ts";
import type { ApiMessage, InteractionKind, RecordedRequest } from "./model.ts";

/** The first answer to an interaction. */
export interface Answer {
  /** Callback type: 4 message, 5 deferred message, 6 deferred update, 7 update, 8 choices, 9 modal. */
  readonly type: number;
  readonly afterMs: number;
  /** The message as it is now. */
  readonly message?: ApiMessage;
  readonly modal?: OpenedModal;
  readonly choices?: readonly OfferedChoice[];
}

/** What a person set off, and what the bot makes of it. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly kind: InteractionKind;
  readonly ephemeral: boolean;
  readonly modal?: OpenedModal;
  readonly choices?: readonly OfferedChoice[];
  /** Every request that the bot made for it, oldest first: the first answer, and what it edited and sent afterwards. */
  readonly requests: readonly RecordedRequest[];
  /** How long the first answer took. */
  answeredAfterMs(): number | undefined;
  /** The first answer (default deadline: 3.5 s). */
  answer(deadlineMs?: number): Promise<Answer>;
  /** The message that the answer ends in: sent, filled in after "thinking", or edited (default deadline: 10 s). */
  settled(deadlineMs?: number): Promise<ApiMessage>;
  followups(): ApiMessage[];
  /** The next follow-up that this handle has not given out yet (default deadline: 10 s). */
  nextFollowup(deadlineMs?: number): Promise<ApiMessage>;
}

/** A record as a test drives it. */
export function handleOf(bus: Bus, record: InteractionRecord): Interaction {
  let given = 0;
  const what = `${record.kind} ${record.label}`;
  const answer = (): Answer | undefined =>
    record.answer && {
      type: record.answer.type,
      afterMs: record.answer.afterMs,
      message: record.original?.message,
      modal: record.modal,
      choices: record.choices,
    };
  return {
    id: record.id,
    token: record.token,
    kind: record.kind,
    requests: record.requests,
    get ephemeral() {
      return record.ephemeral;
    },
    get modal() {
      return record.modal;
    },
    get choices() {
      return record.choices;
    },
    answeredAfterMs: () => record.answer?.afterMs,
    answer: (deadlineMs = 3_500) => bus.waitFor(answer, `an answer to ${what}`, deadlineMs),
    settled: (deadlineMs = 10_000) =>
      bus.waitFor(
        () => {
          if (record.modal !== undefined) throw new Error(`${what} was answered with a modal, not with a message`);
          const { original } = record;
          if (original === undefined || !record.settled) return undefined;
          if (original.deleted) throw new Error(`the answer to ${what} was deleted`);
          return isLoading(original) ? undefined : original.message;
        },
        `the message that answers ${what}`,
        deadlineMs,
      ),
    followups: () => record.followups.filter(({ deleted }) => !deleted).map(({ message }) => message),
    async nextFollowup(deadlineMs = 10_000) {
      const stored = await bus.waitFor(() => record.followups[given], `follow-up ${given + 1} to ${what}`, deadlineMs);
      given += 1;
      return stored.message;
    },
  };
}
