import { Stream } from "../randomness.ts";
import { time } from "../virtual-time.ts";

/** Something fails for a while. */
export interface Fault {
  readonly id: number;
  readonly forMs: number;
  /** Share of the requests that meet it, of those that it can meet. */
  readonly share: number;
}

interface Active<Kind> {
  readonly fault: Kind;
  readonly until: number;
  readonly stream: Stream;
}

/** Faults that last for a while. Each draws from a stream of its own, so that none depends on another. */
export class Faults<Kind extends Fault> {
  private readonly seed: number;
  private active: Active<Kind>[] = [];

  constructor(seed: number) {
    this.seed = seed;
  }

  begin(fault: Kind): void {
    this.active.push({ fault, until: time() + fault.forMs, stream: new Stream(this.seed, `fault ${fault.id}`) });
  }

  /** All is well from now on. */
  end(): void {
    this.active = [];
  }

  /** The first fault that meets this, and the stream to draw its details from. */
  meet(fits: (fault: Kind) => boolean): { readonly fault: Kind; readonly stream: Stream } | undefined {
    if (this.active.length === 0) return undefined;
    this.active = this.active.filter(({ until }) => until > time());
    return this.active.find(({ fault, stream }) => fits(fault) && stream.chance(fault.share));
  }
}
