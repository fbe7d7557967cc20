import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/**
 * For one host: connections that wait for its address share one look-up. Node runs only two look-ups at a time, whatever the
 * host, and cannot cancel one. Without sharing, attempts to connect to a store whose name server is silent would delay the
 * look-ups of Discord's host by seconds.
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
