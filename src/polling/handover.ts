import type { Lists } from "../orders/lists.ts";
import type { GuildPollerDeps } from "./guild-poller-deps.ts";
import { handedLists, handedText } from "./handed-lists.ts";
import type { Health } from "./poll-failures.ts";
import type { Right } from "./right.ts";
import { announced, confirmed, type SharedServer } from "./shared-server.ts";

/**
 * What one server's poller does for the processes with which it takes turns, and what they do for it. Does nothing where
 * one process polls for as long as it lives.
 */
export class Handover {
  private readonly shared: SharedServer | undefined;
  /** A person waits for what is done now: that needs no right to poll. */
  private isAsked = false;
  private readonly right: Right;

  constructor(right: Right) {
    this.right = right;
    this.shared = right.shared;
  }

  /** Storage and messenger that look at the right first, and tell the others what changes. */
  guarded(deps: GuildPollerDeps): GuildPollerDeps {
    const { shared } = this;
    if (!shared) return deps;
    const guard = {
      // What runs beside it, such as an edit, does need the right: where there is one, it is looked at in any case.
      confirm: async () => (this.isAsked && this.right.term() === undefined ? undefined : shared.confirm()),
      writing: () => (this.isAsked ? shared.changed() : shared.writing()),
      // Whoever polls may have read what was there before, after it was told and before it was written: beside a command,
      // and where this process was suspended in between for longer than its right lasted.
      written: async () => (this.isAsked || this.right.term() === undefined ? shared.changed() : undefined),
    };
    return { ...deps, storage: announced(deps.storage, guard), messenger: confirmed(deps.messenger, guard) };
  }

  /** Runs what a person waits for. */
  async asked<T>(work: () => Promise<T>): Promise<T> {
    this.isAsked = true;
    try {
      return await work();
    } finally {
      this.isAsked = false;
    }
  }

  /** Whether what is remembered is still what is kept. Throws `StorageError`. */
  async isFresh(): Promise<boolean> {
    return this.shared?.isFresh() ?? true;
  }

  /** How polls go, as another process has seen it; undefined where there is none. Throws `StorageError`. */
  async health(): Promise<Health | undefined> {
    return this.shared?.health();
  }

  /** Whether others may have done since what this process waits for. */
  get isShared(): boolean {
    return this.shared !== undefined;
  }

  /**
   * Goes on with what another process has seen of the lists since this one's last turn.
   *
   * @param of what the lists are of
   */
  takeOver(of: string, lists: Lists) {
    const text = this.shared?.takeMemory();
    const memories = text === undefined ? undefined : handedLists(of, text);
    if (memories) lists.adopt(memories);
  }

  /** To be called when all that follows from what the lists showed is done, or recorded, but for the edits that are `due`. */
  handOn(of: string, lists: Lists, due: readonly string[]) {
    const text = this.shared && handedText(of, lists.all, due);
    if (text !== undefined) this.shared?.keepMemory(text);
  }

  report(health: Health) {
    this.shared?.keepHealth(health);
  }
}
