import { createCapabilities, type ObservedCapabilities } from "./capabilities.ts";
import { createGate, type Gate } from "./gate.ts";

/** The gate of one token. */
export interface TokenGate {
  readonly gate: Gate;
  /** Calls under way. */
  calls: number;
}

/** What is kept of all tokens, in memory. */
export interface Tokens {
  /** The gate of a token: the same one for as long as it is in use. */
  gate(token: string): TokenGate;
  /** What a token's API was seen to support. */
  capabilities(token: string): ObservedCapabilities;
}

/**
 * Twice the servers that one connection to Discord's gateway holds (2,500). A gate that nobody uses takes 2.8 kB, one that
 * remembers the turns of 200 people 23 kB (measured). A new one is as good, but for what was asked and refused lately.
 */
const mostGates = 5_000;
/** Every server that a worker may meet: 63 MB when all is known of all of them, with their tokens (measured). */
const mostCapabilities = 100_000;

/** Every bound is one of entries; of more, those that were not used for longest go. */
export function createTokens(most = { gates: mostGates, capabilities: mostCapabilities }): Tokens {
  // Both in the sequence of their last use.
  const gates = new Map<string, TokenGate>();
  const capabilities = new Map<string, ObservedCapabilities>();

  function makeRoomFor(newest: string): void {
    for (const [token, { calls, gate }] of gates) {
      if (gates.size <= most.gates || token === newest) return;
      if (calls === 0 && gate.heldMs() === 0) gates.delete(token);
    }
  }

  return {
    gate(token) {
      const known = gates.get(token);
      const state = known ?? { gate: createGate(), calls: 0 };
      gates.delete(token);
      gates.set(token, state);
      if (known === undefined) makeRoomFor(token);
      return state;
    },
    capabilities(token) {
      const known = capabilities.get(token) ?? createCapabilities();
      capabilities.delete(token);
      capabilities.set(token, known);
      if (capabilities.size > most.capabilities) {
        const [oldest = token] = capabilities.keys();
        capabilities.delete(oldest);
      }
      return known;
    },
  };
}
