import type { Setup } from "../setup.ts";

/** Times are ms since the start of the history; an order as the store has it, and how it came there. */
export interface OrderTruth {
  readonly id: string;
  /** Stands in the title of its first item, so that messages without ids can be told apart. */
  readonly mark: string;
  readonly placedAt: number;
  /** What the store says of that; before the start it is negative. Undefined where the store does not say it, or not so exactly. */
  readonly createdAt: number | undefined;
  readonly total: number;
  readonly method: string;
  readonly customer: { readonly name: string; readonly email: string };
  /** Of its product, where the store's list of products has it. */
  readonly category: string | undefined;
  /** Oldest first; `undefined` while no list has it. */
  readonly statuses: { readonly at: number; readonly status: string | undefined }[];
}

/** What a message said from a moment on. */
export interface Version {
  readonly at: number;
  /** All that a reader sees. */
  readonly text: string;
  readonly content: string;
  /** The ids of orders in what can be pressed. */
  readonly orders: readonly string[];
  /** The card below the text, as it is; empty where there is none. */
  readonly card: string;
}

export interface MessageTruth {
  readonly id: string;
  readonly channelId: string;
  readonly at: number;
  readonly repliesTo: string | undefined;
  readonly versions: Version[];
}

/** What somebody asked for: it was in force at some moment from `asked`, and surely from `done` on, where it succeeded. */
export interface Deed {
  readonly asked: number;
  done: number | undefined;
  /** Refused or failed, as the person was told; nobody knows where it is neither. */
  failed: boolean;
  readonly what:
    | { readonly kind: "alerts-set"; readonly channelId: string; readonly statuses: readonly string[] | undefined }
    | { readonly kind: "alerts-off" }
    | {
        readonly kind: "rule";
        readonly name: string;
        readonly channelId: string;
        readonly style: "staff" | "feed";
        readonly status?: string | undefined;
        readonly category?: string | undefined;
        readonly method?: string | undefined;
        readonly from?: number | undefined;
        readonly to?: number | undefined;
      }
    | { readonly kind: "rule-gone"; readonly name: string }
    | { readonly kind: "rule-first"; readonly name: string }
    | { readonly kind: "privacy"; readonly privacy: Setup["privacy"] }
    | { readonly kind: "remind"; readonly afterMs: number | undefined; readonly quiet: string | undefined }
    | { readonly kind: "digest"; readonly hour: number; readonly timezone: string; readonly channelId: string }
    | { readonly kind: "press"; readonly press: string; readonly order: string; readonly by: string };
  /** What the person read. */
  answer?: string;
}

/** Something was not well, from one moment to another. */
export interface Trouble {
  readonly from: number;
  to: number;
  readonly kind: "store" | "discord" | "disk" | "process" | "channel" | "clock" | "settings" | "second";
  readonly how?: string;
  readonly channelId?: string;
  /** Whether every request to the store, or to Discord, met it. */
  readonly isWhole?: boolean;
}

/** A request that a process sent. */
export interface RequestTruth {
  readonly at: number;
  /** The process that sent it. */
  readonly life: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** What was answered, and when the process knew; undefined where it never did. */
  answer?: { readonly status: number; readonly at: number };
}

/** All that could be seen from outside. */
export interface Evidence {
  readonly setup: Setup;
  readonly orders: Map<string, OrderTruth>;
  readonly messages: MessageTruth[];
  /** Direct messages to people: what they say, and when they came. */
  readonly direct: { readonly at: number; readonly content: string }[];
  readonly deeds: Deed[];
  readonly troubles: Trouble[];
  /** Answers to interactions left out: they do not count towards Discord's limit. */
  readonly discordRequests: RequestTruth[];
  readonly storeRequests: RequestTruth[];
  /** Most requests to the store that were under way at once. */
  storeAtOnce: number;
  /** What went wrong inside, where a process says so: it ended by an error that nobody caught. */
  readonly crashes: { readonly at: number; readonly message: string }[];
  /** What Discord's own specification refused of what was sent. */
  readonly refusals: string[];
  /** From when on nothing is wrong any more. */
  calmFrom: number;
  endsAt: number;
  /** What `/alerts status` said then; undefined where no answer came in time. */
  status?: { readonly at: number; readonly text: string };
}

/** A sentence for what is wrong. */
export interface Finding {
  /** The name of the checker, and of what it saw. */
  readonly what: string;
  readonly text: string;
}

export type Checker = (evidence: Evidence) => Finding[];

/** Discord's way of telling the time of a message is not asked: what was posted when was seen. */
export const firstOf = (message: MessageTruth): Version => message.versions[0] as Version;
export const lastOf = (message: MessageTruth): Version => message.versions.at(-1) as Version;

/** Milliseconds since the start of the history as hours, minutes and seconds. */
export function clockOf(ms: number): string {
  const part = (value: number, length = 2) => String(Math.floor(value)).padStart(length, "0");
  const seconds = Math.floor(ms / 1_000);
  return `${part(seconds / 3_600)}:${part((seconds / 60) % 60)}:${part(seconds % 60)}.${part(ms % 1_000, 3)}`;
}
