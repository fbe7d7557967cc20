import type { TimeFormat } from "./shapes.ts";

const iso = (at: Date) => at.toISOString();

/** Ways in which an API that does not keep to its document may write a time; all in UTC, the zone unsaid. */
export const timeFormats = {
  /** `2025-11-27 10:00:00` */
  zonelessBlank: (at) => iso(at).slice(0, 19).replace("T", " "),
  /** `2025-11-27T10:00:00` */
  zonelessT: (at) => iso(at).slice(0, 19),
  epochSeconds: (at) => Math.floor(at.getTime() / 1_000),
  epochMilliseconds: (at) => at.getTime(),
  /** `27/11/2025 10:00` */
  dayFirst: (at) => `${iso(at).slice(0, 10).split("-").reverse().join("/")} ${iso(at).slice(11, 16)}`,
  absent: () => undefined,
} as const satisfies Record<string, TimeFormat>;
