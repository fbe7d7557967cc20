import type { SQLInputValue } from "node:sqlite";
import { Stream } from "../randomness.ts";
import { currentOwner } from "../virtual-time.ts";
import { type Fault, Faults } from "./faults.ts";
import type { Disk } from "./storage.ts";

/** A fault of the disk that lasts for a while. */
export interface DiskFault extends Fault {
  readonly how: "full" | "broken" | "busy";
}

const heldShare = 0.4;

/** Decides for each statement whether the disk is full, broken or busy. */
export class DiskFaults implements Disk {
  readonly faults: Faults<DiskFault>;
  private readonly trace: (line: string) => void;

  /** Whether another process uses the file. Then the file is locked at times, and writes have to wait. */
  isShared: () => boolean = () => false;
  private readonly contention: Stream;

  constructor(seed: number, trace: (line: string) => void) {
    this.faults = new Faults(seed);
    this.contention = new Stream(seed, "contention");
    this.trace = trace;
  }

  fault(writes: boolean): DiskFault["how"] | undefined {
    if (writes && this.isShared() && this.contention.chance(heldShare)) return "busy";
    return this.faults.meet(({ how }) => how === "broken" || writes)?.fault.how;
  }

  wrote(sql: string, values: readonly SQLInputValue[]): void {
    if (currentOwner()?.isDead) throw new Error("a dead process wrote");
    if (currentOwner() !== undefined) this.trace(`write ${sql.slice(0, 6)} ${values.join(" ")}`);
  }
}
