import { randomBytes } from "node:crypto";
import { GatewayCloseCodes, GatewayOpcodes } from "@discordjs/core";
import type { WebSocket } from "ws";
import type { World } from "./world.ts";

/** Number of events kept for a resume. */
const mostKept = 1_000;
/** A session without a connection can be resumed for this long. */
const resumableMs = 5 * 60_000;

type Shard = readonly [id: number, count: number];

/** Docs: Gateway, "Sharding". */
export const shardOf = (guildId: string | undefined, shards: number): number =>
  guildId === undefined ? 0 : Number((BigInt(guildId) >> 22n) % BigInt(shards));

export function sendOp(socket: WebSocket, op: number, d: unknown): void {
  socket.send(JSON.stringify({ op, d, s: null, t: null }));
}

/** Outlives its connection for a while, and keeps the events that the bot may have missed. */
export class Session {
  readonly id = randomBytes(16).toString("hex");
  readonly shard: Shard;
  socket: WebSocket | undefined;
  sequence = 0;
  private readonly now: () => number;
  private readonly deliveries: World["deliveries"];
  /** The newest is last. */
  private readonly sent: { readonly s: number; readonly text: string; readonly interactionId?: string }[] = [];
  private lostAt = Number.POSITIVE_INFINITY;

  constructor(shard: Shard, socket: WebSocket, now: () => number, { deliveries }: Pick<World, "deliveries">) {
    this.shard = shard;
    this.socket = socket;
    this.now = now;
    this.deliveries = deliveries;
  }

  get isOver(): boolean {
    return this.lostAt + resumableMs < this.now();
  }

  push(t: string, d: object): void {
    this.sequence += 1;
    const text = JSON.stringify({ op: GatewayOpcodes.Dispatch, t, s: this.sequence, d });
    const isInteraction = t === "INTERACTION_CREATE" && "id" in d;
    const event = { s: this.sequence, text, ...(isInteraction ? { interactionId: String(d.id) } : {}) };
    this.sent.push(event);
    if (this.sent.length > mostKept) this.sent.shift();
    this.deliver(event);
  }

  /** Sends the events after `sequence`. Returns false if they are no longer kept. */
  resume(socket: WebSocket, sequence: number): boolean {
    if (sequence < (this.sent[0]?.s ?? 1) - 1) return false;
    this.socket?.close(GatewayCloseCodes.SessionTimedOut);
    this.socket = socket;
    this.lostAt = Number.POSITIVE_INFINITY;
    for (const event of this.sent) if (event.s > sequence) this.deliver(event);
    this.push("RESUMED", {});
    return true;
  }

  lose(): void {
    this.socket = undefined;
    this.lostAt = this.now();
  }

  private deliver({ text, interactionId }: (typeof this.sent)[number]): void {
    if (this.socket === undefined) return;
    this.socket.send(text);
    if (interactionId !== undefined) this.deliveries.set(interactionId, (this.deliveries.get(interactionId) ?? 0) + 1);
  }
}
