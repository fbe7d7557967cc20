import { randomBytes } from "node:crypto";
import { type Component, LOADING } from "./components.ts";
import type { ApiMessage, DiscordBus, RecordedRequest, StoredMessage } from "./model.ts";
import type { World } from "./world.ts";

export interface OpenedModal {
  readonly custom_id: string;
  readonly title: string;
  readonly components: readonly Component[];
}

export interface OfferedChoice {
  readonly name: string;
  readonly value: string | number;
}

export const interactionTypes = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;

interface Cause {
  readonly kind: keyof typeof interactionTypes;
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
  /** `/name sub` for a command, the custom id otherwise. */
  readonly label: string;
  readonly locale: string;
  /** The message of a pressed component or a submitted modal. */
  readonly source?: StoredMessage;
  /** Type of the option that is being typed. */
  readonly focusedType?: number;
}

/** With everything that Discord's servers know about the interaction. */
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
  /** Every request with the interaction's token, oldest first. */
  readonly requests: RecordedRequest[];
}

/** Paths of first answers, and of later ones. */
const tokenInPath = /^\/(?:interactions|webhooks)\/[^/]+\/([^/]+)/;

export type Interactions = ReturnType<typeof createInteractions>;

export function createInteractions({ now, bus, world }: { now: () => number; bus: DiscordBus; world: World }) {
  const byToken = new Map<string, InteractionRecord>();
  bus.on("request", (request) => byToken.get(tokenInPath.exec(request.path)?.[1] ?? "")?.requests.push(request));

  return {
    byToken: (token: string) => byToken.get(token),
    /** Forgotten interactions cannot be answered. `before`: epoch ms. */
    forget(before: number): void {
      for (const [token, { at }] of byToken) if (at < before) byToken.delete(token);
    },
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

export const isLoading = ({ message }: StoredMessage): boolean => ((message.flags ?? 0) & LOADING) !== 0;

/** As a test sees it: what a person did, and the bot's answers. */
export type Interaction = ReturnType<typeof handleOf>;

export function handleOf(bus: DiscordBus, record: InteractionRecord) {
  const what = `${record.kind} ${record.label}`;
  const { id, token, requests } = record;
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
    requests: requests as readonly RecordedRequest[],
    answeredAfterMs: () => record.answer?.afterMs,
    /** The first answer, by default within 3.5 s. */
    answer: (deadlineMs = 3_500) => bus.waitFor(answer, `an answer to ${what}`, deadlineMs),
    /** The final message of the answer: sent, filled in after "thinking", or edited. */
    settled: (deadlineMs?: number) => bus.waitFor(settled, `the message that answers ${what}`, deadlineMs),
    followups: () => record.followups.map(({ message }) => message),
    firstFollowup: (deadlineMs?: number) =>
      bus.waitFor(() => record.followups[0]?.message, `a follow-up to ${what}`, deadlineMs),
  };
}
