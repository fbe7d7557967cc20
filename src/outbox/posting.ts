import type { Log } from "../basics/log.ts";
import type { Metrics } from "../basics/metrics.ts";
import type { Guild } from "../guilds/guild.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import type { Ledger, Orders, Outbox } from "../orders/ledger.ts";
import { keyOf } from "../orders/outbox-row.ts";
import { StoreError } from "../store-api/store-error.ts";
import type { PostPayload } from "../views/parts/payload.ts";
import type { ChannelHealth } from "./channel-health.ts";
import type { FailureCode } from "./context.ts";
import {
  type AnyKind,
  type Kinds,
  kindOf,
  type MessageRow,
  type PostedRecord,
  type Scene,
  type Scope,
  statusShown,
} from "./kind.ts";
import { CalledOffError, type Messenger, MessengerError } from "./messenger.ts";
import { nonceFor } from "./nonce.ts";
import type { PostedBefore } from "./posted-before.ts";
import type { RowMemory } from "./row-memory.ts";
import { rowsOfMessage } from "./rows-of-message.ts";

/** Maximum number of rows per search. */
const searchedAtOnce = 500;

export interface PostingDeps {
  readonly guildId: string;
  readonly ledger: Ledger;
  readonly channels: ChannelHealth;
  readonly kinds: Kinds;
  readonly messenger: Messenger;
  /** Its signal is aborted when another process may poll the server. */
  readonly lease: { signal(): AbortSignal };
  readonly memory: RowMemory;
  readonly postedBefore: PostedBefore;
  /** Whether this process still polls the server. */
  holdsLease(): boolean;
  failed(code: FailureCode): void;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Epoch ms. */
  readonly now: () => number;
  /** Aborted when the process ends. */
  readonly signal: AbortSignal;
}

/** One form of a message. If Discord refuses the preferred form, a simpler one is sent. */
interface Form {
  readonly payload: PostPayload;
  readonly replyTo: string | undefined;
}

/**
 * Posts the messages of one server, each once. sender.ts decides when and where; the kinds (kinds/) decide the content.
 *
 * 1. The attempt is recorded: the channel, and the rows of the message.
 * 2. The message is sent.
 * 3. a. Discord took it: it is recorded as posted, and its rows are removed.
 *    b. Discord clearly refused it: the attempt is removed.
 *    c. No clear answer came, or the process was killed: the attempt stays. The rows are now in doubt, so posted-before.ts searches
 *       for them before they are sent again.
 */
export class Posting {
  private readonly deps: PostingDeps;

  constructor(deps: PostingDeps) {
    this.deps = deps;
  }

  /**
   * Searches for rows in doubt if there are any. Otherwise posts one message. `first` is the row whose turn it is; `rows` are
   * all rows of the channel that may be posted.
   * Throws `SearchError`, `MessengerError`, `ConflictError` and `StorageError`; the rows then stay in the outbox.
   */
  async next(first: MessageRow, rows: readonly MessageRow[], scope: Scope): Promise<void> {
    const { channels, kinds, memory, postedBefore } = this.deps;
    const inDoubt = rows.filter((row) => postedBefore.inDoubtSince(row, scope.planning) !== undefined);
    const [doubted] = inDoubt;
    if (doubted !== undefined) {
      const alike = inDoubt.filter(({ kind }) => kind === doubted.kind).slice(0, searchedAtOnce);
      return this.searchFor(alike, kindOf(doubted, kinds), scope);
    }
    const kind = kindOf(first, kinds);
    const isAlone = (row: MessageRow) => memory.isAlone(keyOf(row));
    const chosen = rowsOfMessage(first, rows, { ...scope, kind, channels, isAlone });
    await this.post(chosen, kind, scope).catch((error: unknown) => {
      const isUnclear = error instanceof MessengerError && error.code === "uncertain";
      if (isUnclear) channels.rowsFailed(scope.lane, scope.target.channelId, chosen.map(keyOf));
      throw error;
    });
  }

  private assertLease() {
    if (this.deps.signal.aborted || !this.deps.holdsLease()) throw new ConflictError();
  }

  private async searchFor(rows: readonly MessageRow[], kind: AnyKind, scope: Scope) {
    const { ledger, channels, memory, postedBefore, guildId, log } = this.deps;
    const { lane, target, stop } = scope;
    const orders = await ledger.entries(rows.flatMap((row) => kind.orderIds(row)));
    const { found, channelIds, unread } = await postedBefore.find(rows, orders, kind, scope);
    this.assertLease();
    if (stop.aborted) throw new ConflictError();
    await channels.searchWorks(lane, target, channelIds);
    for (const [message, posted] of Map.groupBy(found.keys(), (row) => found.get(row) as PostedRecord)) {
      await this.recordPosted(posted, message, kind, orders, scope);
    }
    const count = found.size;
    if (count > 0)
      log.info({ guild: guildId, kind: rows[0]?.kind, found: count }, "messages in doubt were posted already");
    for (const row of rows) {
      if (found.has(row)) continue;
      if (row.attempts.some(({ channelId }) => unread.has(channelId))) memory.failed(keyOf(row));
      else memory.notFound(keyOf(row));
    }
  }

  private async post(chosen: readonly MessageRow[], kind: AnyKind, scope: Scope) {
    const orders = await this.deps.ledger.entries(chosen.flatMap((row) => kind.orderIds(row)));
    const rows = await this.stillWanted(chosen, kind, scope.guild, orders);
    if (rows.length === 0) return;
    const attempted = await this.recordAttempt(rows, chosen, kind, orders, scope);
    const message = await this.send(attempted, kind, orders, scope).catch((error) => this.sendFailed(rows, error));
    if (message === undefined) return;
    await this.recordPosted(attempted, message, kind, orders, scope);
    const { guildId: guild, log } = this.deps;
    log.info({ guild, orders: Math.max(message.members.length, rows.length) }, kind.logText);
  }

  /** Returns the rows that are still to be posted. Removes the rows that are no longer wanted. */
  private async stillWanted(
    rows: readonly MessageRow[],
    kind: AnyKind,
    guild: Guild,
    orders: Orders,
  ): Promise<readonly MessageRow[]> {
    if (!kind.wanted) return rows;
    const { ledger, memory, log } = this.deps;
    const wanted: MessageRow[] = [];
    for (const row of rows) {
      const key = keyOf(row);
      try {
        const part = await kind.wanted(row, guild, orders);
        if (part) wanted.push(part);
        else await ledger.write([], (_, outbox) => (outbox.get(key) === row ? [{ drop: [key] }] : []));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        memory.failed(key, error.retryAfterMs);
        log.warn({ err: error, guild: guild.id, key }, "an order could not be read; its message waits");
      }
    }
    return wanted;
  }

  /**
   * Records the attempt and returns the rows with it. Throws `ConflictError` if a chosen row was changed.
   * The same attempt is written again, too: the commit fails if another process changed the server's record, and then nothing
   * is sent.
   */
  private async recordAttempt(
    rows: readonly MessageRow[],
    chosen: readonly MessageRow[],
    kind: AnyKind,
    orders: Orders,
    { target: { channelId } }: Scope,
  ): Promise<readonly MessageRow[]> {
    const { ledger, now } = this.deps;
    const members = rows.map(keyOf);
    const isRepeat = (row: MessageRow) => {
      const last = row.attempts.at(-1);
      return last?.channelId === channelId && last.members.join() === members.join();
    };
    const statusOf = (row: MessageRow) => {
      const order = orders.get(kind.orderIds(row)[0] ?? "");
      return order && "facts" in order ? order.facts.status : "";
    };
    const repeated = rows.every(isRepeat) ? rows[0]?.attempts.at(-1) : undefined;
    const attempt = repeated ?? { channelId, members, shown: rows.map(statusOf), at: now() };
    const attempted = rows.map((row) => ({
      ...row,
      attempts: [...row.attempts.filter((earlier) => earlier.channelId !== channelId), attempt],
    }));
    await ledger.write([], (_, outbox) => {
      const isUnchanged = (row: MessageRow) => !members.includes(keyOf(row)) || outbox.get(keyOf(row)) === row;
      if (!chosen.every(isUnchanged)) throw new ConflictError();
      return [{ put: attempted }];
    });
    return attempted;
  }

  /** Sends the rows as one message, in the first form that Discord accepts. Throws `MessengerError`, `CalledOffError`. */
  private async send(rows: readonly MessageRow[], kind: AnyKind, orders: Orders, scope: Scope): Promise<PostedRecord> {
    const { messenger, lease, memory, guildId } = this.deps;
    const { target, guild, stop } = scope;
    const { channelId } = target;
    const shown = new Map(rows.flatMap((row) => statusShown(row, channelId, kind)));
    const forms = await formsOf(rows, kind, { guild, target, orders: inStatuses(orders, shown) });
    const nonce = nonceFor(guildId, channelId, rows.map(keyOf));
    const signal = lease.signal();
    for (const row of rows) memory.forgetSearch(keyOf(row));
    let refusal: unknown;
    for (const { payload, replyTo } of forms) {
      this.assertLease();
      try {
        const { id: messageId } = await messenger.send(channelId, payload, nonce, { signal, stop, replyTo });
        const members = rows.flatMap((row) => kind.orderIds(row));
        return { channelId, messageId, isClassic: true, members, shown };
      } catch (error) {
        const code = error instanceof MessengerError ? error.code : undefined;
        const isForm = code === "refused" || (code === "forbidden" && replyTo !== undefined);
        if (!isForm) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  /** Returns if Discord refused the message because of its content. Throws the error again in all other cases. */
  private async sendFailed(rows: readonly MessageRow[], error: unknown): Promise<undefined> {
    const isRefusal = error instanceof MessengerError && error.code !== "uncertain";
    if (isRefusal || error instanceof CalledOffError) await this.withdrawAttempt(rows);
    if (!isRefusal || error.code !== "refused") throw error;
    const { guildId, memory, log, failed } = this.deps;
    const keys = rows.map(keyOf);
    if (keys.length > 1) {
      for (const key of keys) memory.refusedTogether(key);
      return;
    }
    for (const key of keys) memory.failed(key);
    log.error({ err: error, guild: guildId, keys }, "Discord refuses a message; it is kept, and tried again");
    failed("refused");
  }

  /** Removes the attempt of a send that certainly posted nothing. Attempts of earlier sends stay. */
  private withdrawAttempt(rows: readonly MessageRow[]): Promise<void> {
    const withEarlier = (_: Orders, outbox: Outbox) => {
      const put = rows.flatMap((row) => {
        const present = outbox.get(keyOf(row));
        return present ? [{ ...present, attempts: row.attempts }] : [];
      });
      return [{ put }];
    };
    return this.deps.ledger.write([], withEarlier, { alsoIfRecordChanged: true });
  }

  /** Records that these rows were posted, and removes them. A message in the target channel proves that the channel works. */
  private async recordPosted(
    rows: readonly MessageRow[],
    message: PostedRecord,
    kind: AnyKind,
    orders: Orders,
    { lane, guild, target, planning }: Scope,
  ) {
    const { ledger, channels, now } = this.deps;
    // A reply can close all orders of its alert, so read the whole alert.
    const membersOf = (id: string) => {
      const order = orders.get(id);
      return order && "stand" in order ? order.stand.members : [id];
    };
    const orderIds = [...new Set(rows.flatMap((row) => kind.orderIds(row)).flatMap(membersOf))];
    let recorded: readonly MessageRow[] = [];
    const changeOf = (present: Orders, outbox: Outbox) => {
      recorded = rows.filter((row) => outbox.has(keyOf(row)));
      const after = new Map(present);
      const changes = recorded.map((row) => {
        const change = kind.afterPosted?.(row, message, after, { ...planning, outbox, now: now() }) ?? {};
        for (const [id, order] of change.orders ?? []) if (order) after.set(id, order);
        return change;
      });
      return [
        {
          orders: changes.flatMap((change) => change.orders ?? []),
          put: changes.flatMap(({ put = [] }) => put),
          drop: [...recorded.map(keyOf), ...changes.flatMap(({ drop = [] }) => drop)],
        },
      ];
    };
    await ledger.write(orderIds, changeOf, { alsoIfRecordChanged: true });
    if (message.searchedSince === undefined) await this.measure(recorded);
    if (message.channelId === target.channelId) await channels.works(lane, guild, target);
  }

  /** Reports to the metrics how long these alerts took. */
  private async measure(rows: readonly MessageRow[]) {
    const { ledger, metrics, now } = this.deps;
    for (const row of rows) {
      if (row.kind !== "alert") continue;
      const order = (await ledger.entries([row.orderId])).get(row.orderId);
      const createdAt = order && "facts" in order ? order.facts.createdAt : undefined;
      const sinceCreatedMs = createdAt === undefined ? undefined : now() - createdAt;
      metrics.alertPosted({ sinceCreatedMs, sinceSeenMs: now() - row.foundAt });
    }
  }
}

/** Returns the forms of a message, the preferred one first. */
async function formsOf(rows: readonly MessageRow[], kind: AnyKind, scene: Scene): Promise<readonly Form[]> {
  const payload = await kind.render(rows, scene, false);
  const replyTo = rows[0] && kind.replyTo?.(rows[0], scene.target.channelId);
  return [
    { payload, replyTo },
    // A reply needs the permission to read the history. The form without the reply does not.
    ...(replyTo === undefined ? [] : [{ payload, replyTo: undefined }]),
    ...(rows.length === 1 ? [{ payload: await kind.render(rows, scene, true), replyTo: undefined }] : []),
  ];
}

/** Returns the orders, each with the status that the message shows. */
function inStatuses(orders: Orders, shown: ReadonlyMap<string, string>): Orders {
  return new Map(
    [...orders].map(([id, row]) => {
      const status = shown.get(id);
      return [id, "facts" in row && status ? { ...row, facts: { ...row.facts, status } } : row];
    }),
  );
}
