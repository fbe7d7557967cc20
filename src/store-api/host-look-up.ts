import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/**
 * Looks up one host. Connections that wait for its address share one look-up. Node runs only two look-ups at a time, and cannot
 * cancel them. So several look-ups that wait for a silent name server would delay the look-up of Discord's host by seconds.
 */
export function createHostLookUp(): LookupFunction {
  let waiting: Parameters<LookupFunction>[2][] = [];
  return (host, options, callback) => {
    waiting.push(callback);
    if (waiting.length > 1) return;
    lookup(host, options, (error, address, family) => {
      const all = waiting;
      waiting = [];
      for (const found of all) found(error, address, family);
    });
  };
}
