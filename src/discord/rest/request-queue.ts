import type { InternalRequest } from "@discordjs/rest";
import { createBudget } from "../../basics/limits/budget.ts";
import { budgets } from "../../basics/limits/budgets.ts";
import { newMessage } from "./route-of.ts";

/** Discord's limit for most bots: https://discord.com/developers/docs/topics/rate-limits#global-rate-limit */
export const usualPerSecond = 50;
/** After this many urgent requests, one other request may go. Without this limit, many alerts would keep the others waiting. */
const mostUrgentInARow = 3;
/** A person waits for this request. */
const commandSettings = /^\/applications\/\d+\/guilds\/\d+\/commands\/permissions$/;

/** Resolves when a request may be sent. After an abort the promise stays pending. */
export type RequestQueue = (isUrgent: boolean, signal?: AbortSignal) => Promise<void>;

export function createRequestQueue(discordPerSecond: number): RequestQueue {
  const { burst, perSecond } = budgets.discordRequests;
  const budget = createBudget({
    burst: Math.max(burst * discordPerSecond, 1),
    perSecond: perSecond * discordPerSecond,
  });
  const urgent = new Set<() => void>();
  const others = new Set<() => void>();
  let urgentInARow = 0;
  let timer: NodeJS.Timeout | undefined;

  function serve() {
    timer = undefined;
    while (urgent.size + others.size > 0) {
      const waitMs = budget.spend("all");
      if (waitMs > 0) {
        timer = setTimeout(serve, Math.ceil(waitMs));
        return;
      }
      const isForOthers = others.size > 0 && (urgent.size === 0 || urgentInARow >= mostUrgentInARow);
      urgentInARow = isForOthers || others.size === 0 ? 0 : urgentInARow + 1;
      const waiting = isForOthers ? others : urgent;
      for (const go of waiting) {
        waiting.delete(go);
        go();
        break;
      }
    }
  }

  return (isUrgent, signal) => {
    const waiting = isUrgent ? urgent : others;
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    signal?.addEventListener("abort", () => waiting.delete(resolve));
    if (!timer) serve();
    return promise;
  };
}

/**
 * Look-ups of command permissions and new messages with a button or a menu are urgent. Most messages about orders and all
 * digests have a button or a menu.
 */
export function isUrgent({ method, fullRoute, body }: InternalRequest): boolean {
  if (commandSettings.test(fullRoute)) return true;
  if (method !== "POST" || !newMessage.test(fullRoute)) return false;
  // In the proxy, the body is a buffer with the JSON that the client process sent.
  const json = Buffer.isBuffer(body) ? body : JSON.stringify(body ?? {});
  return json.includes('"custom_id"');
}
