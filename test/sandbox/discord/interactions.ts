import { randomBytes } from "node:crypto";
import type { Bus } from "./bus.ts";
import { EPHEMERAL, LOADING } from "./components.ts";
import type { ApiMessage, InteractionKind, RecordedRequest, StoredMessage } from "./model.ts";
import type { World } from "./world.ts";

/** The modal that an answer opened. */
export interface OpenedModal {
  readonly custom_id: string;
  readonly title: string;
  readonly components: readonly import("./components.ts").Component[];
}

export interface OfferedChoice {
  readonly name: string;
  readonly value: string | number;
}

/** What Discord's servers know about one interaction. */
export interface InteractionRecord {
  readonly id: string;
  readonly token: string;
  readonly kind: InteractionKind;
  readonly at: number;
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
  /** The interaction that opened the submitted modal. */
  readonly opener?: InteractionRecord;
  answer?: { readonly type: number; readonly afterMs: number; readonly at: number };
  original?: StoredMessage;
  settled: boolean;
  ephemeral: boolean;
  modal?: OpenedModal;
  choices?: readonly OfferedChoice[];
  readonly followups: StoredMessage[];
  /** Every request that was made with its token, oldest first. */
  readonly requests: RecordedRequest[];
}

export interface Interactions {
  /** Makes the record, and sends the event with the rest of its payload to the gateway. */
  open(
    record: Omit<InteractionRecord, "id" | "token" | "at" | "settled" | "ephemeral" | "followups" | "requests">,
    payload: Record<string, unknown>,
  ): InteractionRecord;
  byToken(token: string): InteractionRecord | undefined;
  byId(id: string): InteractionRecord | undefined;
  /** Forgets those that were set off before: nothing can be opened by their answers, or sent for them, any more. */
  forget(before: number): void;
  /** What a message says about the interaction that it answers. */
  metadata(record: InteractionRecord, original?: ApiMessage): Record<string, unknown>;
}

/** First answers, and what comes after them: both have the interaction's token in their path. */
const tokenInPath = /^\/(?:interactions|webhooks)\/[^/]+\/([^/]+)/;

const TYPES: Record<InteractionKind, number> = { command: 2, component: 3, autocomplete: 4, modal: 5 };

export function createInteractions(deps: { now: () => number; bus: Bus; world: World }): Interactions {
  const { now, bus, world } = deps;
  const byToken = new Map<string, InteractionRecord>();
  bus.on("request", (request) => byToken.get(tokenInPath.exec(request.path)?.[1] ?? "")?.requests.push(request));

  const metadata: Interactions["metadata"] = (record, original) => ({
    id: record.id,
    type: TYPES[record.kind],
    user: world.users.get(record.userId),
    authorizing_integration_owners: { 0: record.guildId },
    ...(original === undefined ? {} : { original_response_message_id: original.id }),
    ...(record.kind === "component" && record.source ? { interacted_message_id: record.source.message.id } : {}),
    ...(record.kind === "modal" && record.opener ? { triggering_interaction_metadata: metadata(record.opener) } : {}),
  });

  return {
    byToken: (token) => byToken.get(token),
    byId: (id) => [...byToken.values()].find((record) => record.id === id),
    forget(before) {
      for (const [token, { at }] of byToken) if (at < before) byToken.delete(token);
    },
    metadata,
    open(given, payload) {
      const id = world.nextId();
      const token = Buffer.from(`interaction:${id}:`).toString("base64url") + randomBytes(96).toString("base64url");
      const record: InteractionRecord = {
        ...given,
        id,
        token,
        at: now(),
        settled: false,
        ephemeral: false,
        followups: [],
        requests: [],
      };
      byToken.set(token, record);
      const shared = { id, application_id: world.bot.id, type: TYPES[record.kind], token, version: 1 };
      world.dispatch("INTERACTION_CREATE", { ...shared, ...payload }, record.guildId, 0);
      bus.emit("interaction", { id, kind: record.kind });
      return record;
    },
  };
}

/** Whether an answer is still "thinking". */
export function isLoading(stored: StoredMessage): boolean {
  return ((stored.message.flags ?? 0) & LOADING) !== 0;
}

/** Whether a request asks for an answer that only the asking person sees. */
export function wantsEphemeral(flags: number | null | undefined): boolean {
  return ((flags ?? 0) & EPHEMERAL) !== 0;
}
