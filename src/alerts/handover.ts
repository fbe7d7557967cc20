import { hash } from "node:crypto";
import { handedLists, handedText } from "./handed-lists.ts";
import type { Lists } from "./lists.ts";
import type { Health } from "./poll-failures.ts";
import { announced, confirmed, type SharedServer } from "./shared-server.ts";
import type { WatchDeps } from "./watch-deps.ts";

/**
 * What one server's watch does for the processes with which it takes turns, and what they do for it. Does nothing where
 * one process polls for as long as it lives.
 */
export class Handover {
  private readonly shared: SharedServer | undefined;
  /** A person waits for what is done now: that needs no right to poll. */
  private isAsked = false;
  /** Digest of what was last handed on. */
  private handedOn = "";

  constructor(shared: SharedServer | undefined) {
    this.shared = shared;
  }

  /** Storage and messenger that look at the right first, and tell the others what changes. */
  guarded(deps: WatchDeps): WatchDeps {
    const { shared } = this;
    if (!shared) return deps;
    const guard = {
      confirm: async () => (this.isAsked ? undefined : shared.confirm()),
      writing: () => (this.isAsked ? shared.changed() : shared.writing()),
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

  /** To be called when all that follows from what the lists showed is done, or recorded. */
  handOn(of: string, lists: Lists) {
    if (!this.shared) return;
    const text = handedText(of, lists.all);
    const digest = hash("sha1", text);
    if (digest === this.handedOn) return;
    this.handedOn = digest;
    this.shared.keepMemory(text);
  }

  report(health: Health) {
    this.shared?.keepHealth(health);
  }
}
