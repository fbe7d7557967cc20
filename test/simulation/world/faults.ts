import { Stream } from "../randomness.ts";
import { time } from "../virtual-time.ts";

interface Active<Fault> {
  readonly fault: Fault;
  readonly until: number;
  readonly stream: Stream;
}

/** Faults that last for a while. Each draws from a stream of its own, so that none depends on another. */
export class Faults<Fault extends { readonly id: number; readonly forMs: number; readonly share: number }> {
  private readonly seed: number;
  private active: Active<Fault>[] = [];

  constructor(seed: number) {
    this.seed = seed;
  }

  begin(fault: Fault): void {
    this.active.push({ fault, until: time() + fault.forMs, stream: new Stream(this.seed, `fault ${fault.id}`) });
  }

  /** All is well from now on. */
  end(): void {
    this.active = [];
  }

  /** The first fault that meets this, and the stream to draw its details from. */
  meet(fits: (fault: Fault) => boolean): { readonly fault: Fault; readonly stream: Stream } | undefined {
    if (this.active.length === 0) return undefined;
    this.active = this.active.filter(({ until }) => until > time());
    return this.active.find(({ fault, stream }) => fits(fault) && stream.chance(fault.share));
  }
}
