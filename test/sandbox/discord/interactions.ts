import { randomBytes } from "node:crypto";
import { type Component, LOADING } from "./components.ts";
import type { ApiMessage, DiscordBus, RecordedRequest, StoredMessage } from "./model.ts";
import type { World } from "./world.ts";

/** The modal that an answer opened. */
export interface OpenedModal {
  readonly custom_id: string;
  readonly title: string;
  readonly components: readonly Component[];
}

/** A choice that an autocomplete offered. */
export interface OfferedChoice {
  readonly name: string;
  readonly value: string | number;
}

/** Discord's types of interactions. */
export const interactionTypes = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;

/** The cause of an interaction: what a person did, and where. */
interface Cause {
  readonly kind: keyof typeof interactionTypes;
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
  /** `/name sub` for a command, the custom id otherwise. */
  readonly label: string;
  readonly locale: string;
  /** The message that a pressed component or a submitted modal belongs to. */
  readonly source?: StoredMessage;
  /** Type of the option that is being typed, for autocomplete. */
  readonly focusedType?: number;
}

/** One interaction, with everything that Discord's servers know about it. */
export interface InteractionRecord extends Cause {
  readonly id: string;
  readonly token: string;
  readonly at: number;
  /** Callback type: 4 message, 5 deferred message, 6 deferred update, 7 update, 8 choices, 9 modal. */
  answer?: { readonly type: number; readonly afterMs: number };
  original?: StoredMessage;
  settled: boolean;
  modal?: OpenedModal;
  choices?: readonly OfferedChoice[];
  readonly followups: StoredMessage[];
  /** Every request that was made with its token, oldest first. */
  readonly requests: RecordedRequest[];
}

/** First answers, and later ones: both have the interaction's token in their path. */
const tokenInPath = /^\/(?:interactions|webhooks)\/[^/]+\/([^/]+)/;

/** The interactions, by token. */
export type Interactions = ReturnType<typeof createInteractions>;

export function createInteractions({ now, bus, world }: { now: () => number; bus: DiscordBus; world: World }) {
  const byToken = new Map<string, InteractionRecord>();
  bus.on("request", (request) => byToken.get(tokenInPath.exec(request.path)?.[1] ?? "")?.requests.push(request));

  return {
    byToken: (token: string) => byToken.get(token),
    /** Forgets interactions that began before `before` (epoch ms). After that they cannot be answered. */
    forget(before: number): void {
      for (const [token, { at }] of byToken) if (at < before) byToken.delete(token);
    },
    /** Makes the record, and sends the event with the rest of its payload to the gateway. */
    open(cause: Cause, payload: Record<string, unknown>): InteractionRecord {
      const id = world.nextId();
      const token = Buffer.from(`interaction:${id}:`).toString("base64url") + randomBytes(96).toString("base64url");
      const record: InteractionRecord = { ...cause, id, token, at: now(), settled: false, followups: [], requests: [] };
      byToken.set(token, record);
      const shared = { id, application_id: world.bot.id, type: interactionTypes[record.kind], token, version: 1 };
      world.dispatch("INTERACTION_CREATE", { ...shared, ...payload }, record.guildId);
      return record;
    },
  };
}

/** Whether an answer is still "thinking". */
export const isLoading = ({ message }: StoredMessage): boolean => ((message.flags ?? 0) & LOADING) !== 0;

/** An interaction, as a test sees it: what a person did, and the bot's answers. */
export type Interaction = ReturnType<typeof handleOf>;

/** Makes the handle of a record. */
export function handleOf(bus: DiscordBus, record: InteractionRecord) {
  let given = 0;
  const what = `${record.kind} ${record.label}`;
  const { id, token, kind, requests } = record;
  const answer = () =>
    record.answer && {
      ...record.answer,
      modal: record.modal,
      choices: record.choices,
    };
  function settled(): ApiMessage | undefined {
    if (record.modal !== undefined) throw new Error(`${what} was answered with a modal, not with a message`);
    const { original } = record;
    return original === undefined || !record.settled || isLoading(original) ? undefined : original.message;
  }
  return {
    id,
    token,
    kind,
    /** Every request that the bot made for it, oldest first. */
    requests: requests as readonly RecordedRequest[],
    /** How long the first answer took. */
    answeredAfterMs: () => record.answer?.afterMs,
    /** Resolves to the first answer (default deadline: 3.5 s). */
    answer: (deadlineMs = 3_500) => bus.waitFor(answer, `an answer to ${what}`, deadlineMs),
    /** Resolves to the final message of the answer: sent, filled in after "thinking", or edited. */
    settled: (deadlineMs?: number) => bus.waitFor(settled, `the message that answers ${what}`, deadlineMs),
    followups: () => record.followups.map(({ message }) => message),
    /** Resolves to the next follow-up that this handle has not returned yet. */
    async nextFollowup(deadlineMs?: number): Promise<ApiMessage> {
      const stored = await bus.waitFor(() => record.followups[given], `follow-up ${given + 1} to ${what}`, deadlineMs);
      given += 1;
      return stored.message;
    },
  };
}
