import { Stream } from "../randomness.ts";
import { time } from "../virtual-time.ts";

/** A failure that lasts for a while. */
export interface Fault {
  readonly id: number;
  readonly forMs: number;
  /** Share of the matching requests that fail. */
  readonly share: number;
}

interface Active<Kind> {
  readonly fault: Kind;
  readonly until: number;
  readonly stream: Stream;
}

/** The present faults. Each has its own random stream, so no fault changes another one. */
export class Faults<Kind extends Fault> {
  private readonly seed: number;
  private active: Active<Kind>[] = [];

  constructor(seed: number) {
    this.seed = seed;
  }

  begin(fault: Kind): void {
    this.active.push({ fault, until: time() + fault.forMs, stream: new Stream(this.seed, `fault ${fault.id}`) });
  }

  end(): void {
    this.active = [];
  }

  /** Finds the first fault that hits a request, and the stream for its details. */
  meet(fits: (fault: Kind) => boolean): { readonly fault: Kind; readonly stream: Stream } | undefined {
    if (this.active.length === 0) return undefined;
    this.active = this.active.filter(({ until }) => until > time());
    return this.active.find(({ fault, stream }) => fits(fault) && stream.chance(fault.share));
  }
}
