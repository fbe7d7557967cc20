import type { SQLInputValue } from "node:sqlite";
import type { Happening } from "../history.ts";
import { currentOwner } from "../virtual-time.ts";
import { Faults } from "./faults.ts";
import type { Disk } from "./storage.ts";

type Fault = Extract<Happening, { kind: "disk-fault" }>;

/** A disk that is full, broken or busy for a while. */
export class DiskFaults implements Disk {
  readonly faults: Faults<Fault>;
  private readonly trace: (line: string) => void;

  constructor(seed: number, trace: (line: string) => void) {
    this.faults = new Faults(seed);
    this.trace = trace;
  }

  fault(writes: boolean): Fault["how"] | undefined {
    return this.faults.meet(({ how }) => how === "broken" || writes)?.fault.how;
  }

  wrote(sql: string, values: readonly SQLInputValue[]): void {
    if (currentOwner() !== undefined) this.trace(`write ${sql.slice(0, 6)} ${values.join(" ")}`);
  }
}
