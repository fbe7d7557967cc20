import type { Log } from "../../src/basics/log.ts";

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

type Level = keyof Log;

export function recordedLog() {
  const lines: {
    readonly level: Level;
    readonly fields: Readonly<Record<string, unknown>>;
    readonly message: string;
  }[] = [];
  const write = (level: Level) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...fields }, message });
  const log: Log = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
  const at = (...levels: Level[]) => lines.filter(({ level }) => levels.length === 0 || levels.includes(level));
  return { log, at, said: (...levels: Level[]) => at(...levels).map(({ message }) => message) };
}
