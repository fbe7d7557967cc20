import type { Setup } from "../setup.ts";

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

/** The start of the mark of every order. */
export const markStart = "Thing-";

/** An order in the store, with its history. Times are ms since the start of the history. */
export interface OrderTruth {
  readonly id: string;
  /** A text in the title of the first item. It identifies the order in messages without ids. */
  readonly mark: string;
  /** 0 for an order that was in its store before the store was connected. */
  readonly placedAt: number;
  /** The time that the store shows for the order; negative before the start. Undefined if the store shows no exact time. */
  readonly createdAt: number | undefined;
  readonly total: number;
  /** Number of pieces of its one product. */
  readonly pieces: number;
  readonly method: string;
  readonly customer: { readonly name: string; readonly email: string };
  /** Id of the order's product. */
  readonly product: string;
  /** The category of the order's product. Undefined if the store's list of products never has the product. */
  readonly category: string | undefined;
  /** Since when the list of products has the product; 0 if the list had the product from the start. */
  readonly productListedAt: number;
  /** The statuses, the oldest first. `undefined` while no list has the order. */
  readonly statuses: { readonly at: number; readonly status: string | undefined }[];
}

/** The content of a message after its post or an edit. */
export interface Version {
  readonly at: number;
  /** All text that a reader sees. */
  readonly text: string;
  readonly content: string;
  /** Ids of orders in the custom ids of buttons and menus. */
  readonly orders: readonly string[];
  /** The card below the text as JSON; empty if there is none. */
  readonly card: string;
  /** Number of files. */
  readonly files: number;
}

export interface MessageTruth {
  readonly id: string;
  readonly channelId: string;
  readonly at: number;
  readonly repliesTo: string | undefined;
  readonly versions: Version[];
}

/** A command or press of a person. It may be in force from `asked` on. If it succeeded, it is in force from `done` on. */
export interface Action {
  readonly asked: number;
  done: number | undefined;
  /** True if the person was told that the action failed. If this is false and `done` is undefined, the result is unknown. */
  failed: boolean;
  readonly what:
    | {
        readonly kind: "alerts-set";
        readonly channelId: string;
        readonly statuses: readonly string[] | undefined;
        readonly role?: string | undefined;
      }
    | { readonly kind: "alerts-off" }
    | { readonly kind: "staff" }
    | { readonly kind: "connect" }
    | { readonly kind: "disconnect" }
    | {
        readonly kind: "rule";
        readonly name: string;
        readonly channelId: string;
        readonly style: "staff" | "feed";
        readonly status?: string | undefined;
        readonly category?: string | undefined;
        readonly product?: { readonly id: string; readonly title: string } | undefined;
        readonly method?: string | undefined;
        readonly from?: number | undefined;
        readonly to?: number | undefined;
        readonly items?: number | undefined;
        /** Id of the role that its messages mention. */
        readonly role?: string | undefined;
      }
    | { readonly kind: "rule-gone"; readonly name: string }
    | { readonly kind: "rule-first"; readonly name: string }
    | { readonly kind: "privacy"; readonly privacy: Setup["privacy"] }
    | { readonly kind: "remind"; readonly afterMs: number | undefined; readonly quiet: string | undefined }
    | {
        readonly kind: "digest";
        readonly hour: number;
        readonly timezone: string;
        readonly channelId: string;
        /** Whether the bot may not send files there. */
        readonly isFileless?: boolean;
      }
    | {
        readonly kind: "press";
        readonly press: string;
        readonly order: string;
        readonly by: string;
        /** A manager may press the buttons of an order that another person has. */
        readonly isManager?: boolean;
        /** The button was pressed on the private card of the order, and not on its alert. */
        readonly isOnCard?: boolean;
      };
  /** The text that the person read. */
  answer?: string;
}

/** A time in which a part of the world does not work. */
export interface Trouble {
  readonly from: number;
  to: number;
  readonly kind: "store" | "discord" | "disk" | "process" | "channel" | "clock" | "settings" | "second";
  readonly how?: string;
  readonly channelId?: string;
  /** Whether every request to the store, or to Discord, failed. */
  readonly isWhole?: boolean;
  /** The time of the copy of the database that was put back at `from`. */
  readonly copiedAt?: number;
}

/** A request that a process sent. */
export interface RequestTruth {
  readonly at: number;
  /** Number of the process that sent the request. */
  readonly life: number;
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The store's token. */
  readonly token?: string;
  /** The text of the message that it posts. */
  readonly content?: string | undefined;
  /** Whether the message that it posts is a reply to another message. */
  readonly isReply?: boolean;
  /** Ids of the orders of this message. */
  readonly orders?: readonly string[];
  /** The answer, and when it reached the process. Undefined if no answer came. */
  answer?: { readonly status: number; readonly at: number };
}

/** Everything that can be seen from outside of the bot. The checkers read only this. */
export interface Evidence {
  readonly setup: Setup;
  readonly orders: Map<string, OrderTruth>;
  readonly messages: MessageTruth[];
  /** Direct messages to people. */
  readonly direct: { readonly at: number; readonly content: string }[];
  readonly actions: Action[];
  readonly troubles: Trouble[];
  /** Without answers to interactions, because they do not count towards Discord's limit. */
  readonly discordRequests: RequestTruth[];
  readonly storeRequests: RequestTruth[];
  /** Largest number of running requests to the store. */
  storeAtOnce: number;
  /** Errors that nobody caught, faults of the program in the log, and requests of processes that had ended. */
  readonly crashes: { readonly at: number; readonly message: string }[];
  /** Errors that an operator finds in the log. */
  readonly logged: { readonly at: number; readonly message: string }[];
  /** Requests that violate Discord's specification. */
  readonly refusals: string[];
  /** From this time on there is no new trouble. */
  calmFrom: number;
  endsAt: number;
  /** The answer to `/alerts status` at the end. Undefined if none came in time. */
  status?: { readonly at: number; readonly text: string };
  /** The answer to `/store status` at the end. */
  storeStatus?: { readonly at: number; readonly text: string };
  /** The answers to `/alerts status` before the end. */
  readonly asked: { readonly at: number; readonly text: string }[];
  /** The tables that had rows of the server, besides its record, at some moments. */
  readonly kept: { readonly at: number; readonly tables: readonly string[] }[];
  readonly starts: { readonly at: number; readonly life: number }[];
}

/** One failure that a checker found. */
export interface Finding {
  /** The kind of failure. */
  readonly what: string;
  readonly text: string;
}

export type Checker = (evidence: Evidence) => Finding[];

/** The first version of a message, as it was posted. */
export const firstOf = (message: MessageTruth): Version => message.versions[0] as Version;
export const lastOf = (message: MessageTruth): Version => message.versions.at(-1) as Version;

/** Milliseconds since the start of the history as hours, minutes and seconds. */
export function clockOf(ms: number): string {
  const part = (value: number, length = 2) => String(Math.floor(value)).padStart(length, "0");
  const seconds = Math.floor(ms / 1_000);
  return `${part(seconds / 3_600)}:${part((seconds / 60) % 60)}:${part(seconds % 60)}.${part(ms % 1_000, 3)}`;
}
