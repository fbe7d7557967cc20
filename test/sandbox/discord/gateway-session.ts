import { randomBytes } from "node:crypto";
import { GatewayOpcodes } from "@discordjs/core";
import type { WebSocket } from "ws";
import type { GatewayDispatch } from "./model.ts";

interface SentEvent {
  readonly s: number;
  readonly text: string;
  readonly interactionId?: string;
}

/** A gateway session: it outlives its socket for a while, and keeps what the bot may have missed. */
export interface Session {
  readonly id: string;
  readonly intents: number;
  readonly shard: readonly [number, number];
  socket?: WebSocket;
  seq: number;
  /** Sent events, newest last, for a resume. */
  readonly sent: SentEvent[];
  /** How often each interaction was sent to a bot, in this session and in others: see `World.deliveries`. */
  readonly deliveries: Map<string, number>;
  /** When the socket was lost, epoch ms. */
  lostAt?: number;
}

/** Events kept for a resume. */
const KEPT = 1_000;
/** How long a session waits for its bot. */
const RESUMABLE_MS = 5 * 60_000;

export function createSession(
  given: Pick<Session, "intents" | "shard" | "deliveries"> & { readonly socket: WebSocket },
): Session {
  return { ...given, id: randomBytes(16).toString("hex"), seq: 0, sent: [] };
}

function deliver({ socket, deliveries }: Session, { text, interactionId }: SentEvent): void {
  if (socket === undefined) return;
  socket.send(text);
  if (interactionId !== undefined) deliveries.set(interactionId, (deliveries.get(interactionId) ?? 0) + 1);
}

/** Numbers an event, keeps it, and sends it when the bot is there. */
export function push(session: Session, t: string, d: object): void {
  session.seq += 1;
  const text = JSON.stringify({ op: GatewayOpcodes.Dispatch, t, s: session.seq, d });
  const isInteraction = t === "INTERACTION_CREATE" && "id" in d;
  const event = { s: session.seq, text, ...(isInteraction ? { interactionId: String(d.id) } : {}) };
  session.sent.push(event);
  if (session.sent.length > KEPT) session.sent.shift();
  deliver(session, event);
}

/** Sends what a bot may have missed that saw events up to `seq`; what it saw without saying so comes again. */
export function replay(session: Session, seq: number): void {
  for (const event of session.sent) if (event.s > seq) deliver(session, event);
}

/** Sends what is no event, and therefore has no number. */
export function sendOp(socket: WebSocket, op: number, d: unknown): void {
  socket.send(JSON.stringify({ op, d, s: null, t: null }));
}

/** Parts a session from its socket; it can be taken up again for a while. */
export function lose(session: Session, now: number): void {
  session.socket = undefined;
  session.lostAt = now;
}

/** Whether a session's bot stayed away for too long. */
export function isOver({ lostAt }: Session, now: number): boolean {
  return lostAt !== undefined && lostAt + RESUMABLE_MS < now;
}

/** Docs: Gateway, "Sharding". */
export function shardOf(guildId: string | undefined, shards: number): number {
  return guildId === undefined ? 0 : Number((BigInt(guildId) >> 22n) % BigInt(shards));
}

/** Whether a session gets an event: its shard, and an intent for it. */
export function gets(session: Session, event: GatewayDispatch): boolean {
  const [shard, shards] = session.shard;
  return shardOf(event.guildId, shards) === shard && (event.intent === 0 || (session.intents & event.intent) !== 0);
}
