import { createCapabilities, type ObservedCapabilities } from "./capabilities.ts";
import { createGate, type Gate } from "./gate.ts";

/** What is kept of one token, in memory. */
export interface TokenState {
  readonly gate: Gate;
  readonly capabilities: ObservedCapabilities;
  /** Calls under way. */
  calls: number;
}

/** The states of all tokens. */
export interface Tokens {
  /** The state of a token: the same one for as long as it is in use. */
  of(token: string): TokenState;
}

/** Twice the servers that one connection to Discord's gateway holds (2,500), about 1 kB each. */
const mostTokens = 5_000;

/** @param most states kept; of more, those that were not used for longest go, unless something is under way there */
export function createTokens(most: number = mostTokens): Tokens {
  // In the sequence of their last use.
  const states = new Map<string, TokenState>();

  function makeRoomFor(newest: string): void {
    for (const [token, { calls, gate }] of states) {
      if (states.size <= most || token === newest) return;
      if (calls === 0 && gate.heldMs() === 0) states.delete(token);
    }
  }

  return {
    of(token) {
      const known = states.get(token);
      const state = known ?? { gate: createGate(), capabilities: createCapabilities(), calls: 0 };
      states.delete(token);
      states.set(token, state);
      if (known === undefined) makeRoomFor(token);
      return state;
    },
  };
}
