import type { Memory, Notes, SlotState } from "../../src/poll-queue/notes.ts";
import { StorageError } from "../../src/storage/table.ts";

/** What becomes of a command: it may fail before Redis has done it, or after. */
export type Fate = "fine" | "lost request" | "lost answer";

/** The notes as one process has them: its commands reach Redis one after the other, as on a connection. */
export interface PretendConnection extends Notes {
  /** Names of the commands that were sent. */
  readonly sent: string[];
  /** Awaited before a command reaches Redis, and before its answer is heard. */
  delay(command: string): Promise<unknown>;
  /** What becomes of the next command with this name. */
  fate(command: string): Fate;
}

export interface PretendNotes {
  connect(): PretendConnection;
  /** FLUSHALL. */
  flush(): void;
  /** Hears of each command at the moment in which Redis does it, or would have. */
  onCommand(command: string, by: PretendConnection, isDone: boolean): void;
}

/** What processes tell each other, in memory. */
export function createPretendNotes(): PretendNotes {
  const versions = new Map<string, number>();
  const marks = new Map<string, string>();
  const memories = new Map<string, Memory>();
  const healths = new Map<string, unknown>();
  const due = new Map<number, Set<string>>();
  const states = new Map<number, SlotState>();
  let roster = 0;

  const all: PretendNotes = {
    onCommand: () => undefined,
    flush() {
      for (const kept of [versions, marks, memories, healths, due, states]) kept.clear();
      roster = 0;
    },
    connect() {
      let line: Promise<unknown> = Promise.resolve();

      function command<T>(name: string, act: () => T): Promise<T> {
        connection.sent.push(name);
        const done = line.then(async () => {
          await connection.delay(name);
          const fate = connection.fate(name);
          all.onCommand(name, connection, fate !== "lost request");
          if (fate === "lost request") throw new StorageError(name, new Error("lost"));
          const result = act();
          if (fate === "lost answer") throw new StorageError(name, new Error("lost"));
          return result;
        });
        line = done.catch(() => undefined);
        return done.finally(() => connection.delay(name));
      }

      const connection: PretendConnection = {
        sent: [],
        delay: async () => undefined,
        fate: () => "fine",
        begin: (slot) =>
          command("begin", () => {
            const taken = [...(due.get(slot) ?? [])];
            due.delete(slot);
            return { versions: new Map(versions), marks: new Map(marks), due: taken, roster: String(roster) };
          }),
        forget: (_, guildId) =>
          command("forget", () => void [marks.delete(guildId), memories.delete(guildId), healths.delete(guildId)]),
        isDue: (slot) => command("isDue", () => due.has(slot)),
        due: (slot, guildId) => command("due", () => void due.set(slot, (due.get(slot) ?? new Set()).add(guildId))),
        version: (_, guildId) => command("version", () => versions.get(guildId) ?? 0),
        raise: (_, guildId, by) =>
          command("raise", () => {
            const version = (versions.get(guildId) ?? 0) + by;
            versions.set(guildId, version);
            return version;
          }),
        memories: (ids) =>
          ids.length === 0 ? Promise.resolve([]) : command("memories", () => ids.map((id) => memories.get(id))),
        keepMemory: (_, guildId, memory) =>
          command("keepMemory", () => {
            memories.set(guildId, memory);
            marks.set(guildId, memory.mark);
          }),
        health: (_, guildId) => command("health", () => healths.get(guildId)),
        keepHealth: (_, guildId, text) => command("keepHealth", () => void healths.set(guildId, JSON.parse(text))),
        slotState: (slot) => command("slotState", () => states.get(slot)),
        slotStates: () => command("slotStates", () => new Map(states)),
        keepSlotState: (slot, state) => command("keepSlotState", () => void states.set(slot, state)),
        roster: () => command("roster", () => String(roster)),
        rosterChanged: () => command("rosterChanged", () => void roster++),
      };
      return connection;
    },
  };
  return all;
}
