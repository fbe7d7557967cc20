import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { listen } from "../../sandbox/listen.ts";
import { makeOrder } from "../../sandbox/store/catalog.ts";
import { offer } from "../child.ts";

const pageSize = 100;
const bearer = "Bearer ";

interface Seen {
  /** Epoch ms. */
  readonly at: number;
  /** With the query. */
  readonly path: string;
  readonly token: string;
  readonly isFirstPage: boolean;
}

/** As JSON, newest first. */
let shared: string[] = [];
let pages: string[] = [];
/** By token, newest first. A token sees its own orders before the shared ones. */
const own = new Map<string, string[]>();
let answerAfterMs = 0;
/** Requests since the last reset. */
let seen: Seen[] = [];

const answerOf = (rows: readonly string[], total: number) =>
  `{"success":true,"data":{"orders":[${rows.join(",")}],"lastPage":${Math.max(1, Math.ceil(total / pageSize))}}}`;

function pageOf(token: string, page: number): string {
  const added = own.get(token);
  const from = (page - 1) * pageSize;
  if (!added) return pages[page - 1] ?? answerOf([], shared.length);
  const total = added.length + shared.length;
  const before = added.slice(from, from + pageSize);
  const after = shared.slice(Math.max(from - added.length, 0), Math.max(from + pageSize - added.length, 0));
  return answerOf([...before, ...after], total);
}

/**
 * A store for thousands of servers. It costs a fraction of what is measured, because its pages are made once: all tokens see
 * the same pages until an order of their own arrives. It honours page and limit. Every order is pending.
 */
const server = createServer((request, response) => {
  const { url: path = "" } = request;
  const token = (request.headers.authorization ?? "").slice(bearer.length);
  const page = Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? 1);
  seen.push({ at: Date.now(), path, token, isFirstPage: page === 1 });
  const answer = () => response.writeHead(200, { "content-type": "application/json" }).end(pageOf(token, page));
  if (answerAfterMs > 0) void wait(answerAfterMs).then(answer);
  else answer();
});
// Longer than any interval of the benchmarks. Otherwise each poll of a quiet fleet would open a connection.
server.keepAliveTimeout = 60_000;
const origin = await listen(server);

const calls = {
  url: () => `http://${origin}`,
  /** The orders that every token sees. Returns them, oldest first. */
  seed(count: number, afterMs: number) {
    const createdAt = new Date().toISOString();
    const orders = Array.from({ length: count }, (_, index) => makeOrder(index, { createdAt }));
    shared = orders.map((order) => JSON.stringify(order)).reverse();
    pages = Array.from({ length: Math.max(1, Math.ceil(count / pageSize)) }, (_, index) =>
      answerOf(shared.slice(index * pageSize, (index + 1) * pageSize), count),
    );
    answerAfterMs = afterMs;
    return orders;
  },
  /** `at`: epoch ms. */
  place(token: string): { id: string; at: number } {
    const at = Date.now();
    const order = makeOrder(at % 1_000, { createdAt: new Date(at).toISOString() });
    own.set(token, [JSON.stringify(order), ...(own.get(token) ?? [])]);
    return { id: order.id, at };
  },
  reset() {
    seen = [];
  },
  /** Requests since the last reset. */
  requests: () => seen,
  /** Since the last reset. `servers`: how many were polled. */
  counted() {
    const polls = seen.filter(({ isFirstPage }) => isFirstPage);
    const servers = new Set(polls.map(({ token }) => token)).size;
    return { requests: seen.length, polls: polls.length, servers };
  },
};

export type SharedStoreCalls = typeof calls;
offer(calls);
