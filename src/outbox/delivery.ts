import { setImmediate } from "node:timers/promises";
import type { Log } from "../basics/log.ts";
import type { Metrics } from "../basics/metrics.ts";
import type { Guild } from "../guilds/guild.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import type { Ledger, Orders, Outbox } from "../orders/ledger.ts";
import { type Kind, keyOf, type OutboxRow, type RowOf } from "../orders/outbox-row.ts";
import type { Planning } from "../orders/plan.ts";
import { StoreError } from "../store-api/store-error.ts";
import type { ChannelHealth, Lane, Target } from "./channel-health.ts";
import type { AnyKind, MessageKind, StandingMessage } from "./kind.ts";
import { CalledOffError, type Messenger, MessengerError } from "./messenger.ts";
import { nonceFor } from "./nonce.ts";
import { blocksChannel, type FailureCode } from "./notices.ts";
import type { RowMemory } from "./row-memory.ts";
import { searchSince } from "./search-since.ts";

/** Rows that are looked for in one go. */
const lookedForAtOnce = 500;
/** Messages looked through before the event loop turns. */
const messagesAtOnce = 200;

type Message = Exclude<Kind, "edit">;
/** A row that becomes a message. */
export type MessageRow = RowOf<Message>;
export type Kinds = { readonly [K in Message]: MessageKind<K> };

export interface DeliveryDeps {
  readonly guildId: string;
  readonly ledger: Ledger;
  readonly channels: ChannelHealth;
  readonly kinds: Kinds;
  readonly messenger: Messenger;
  /** Aborted when another process may poll the server. */
  readonly lease: { signal(): AbortSignal };
  readonly memory: RowMemory;
  /** Whether this process still polls. */
  holdsLease(): boolean;
  failed(code: FailureCode): void;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Epoch ms. */
  readonly now: () => number;
  /** Aborted when the process ends. */
  readonly signal: AbortSignal;
}

/** Where one thing is done. */
export interface Scope {
  readonly lane: Lane;
  readonly target: Target;
  readonly guild: Guild;
  readonly by: Planning;
  /** Aborted when the server's record, by which all this is so, was changed: nothing begins to leave by it any more. */
  readonly stop: AbortSignal;
}

/** What may have been sent cannot be looked for. */
export class HistoryHiddenError extends Error {
  readonly reason: MessengerError;

  constructor(reason: MessengerError) {
    super("what may have been sent could not be looked for", { cause: reason });
    this.reason = reason;
  }
}

const targetName = ({ channelId, route, fallbackFor, roleId }: Target) =>
  [channelId, route?.id, fallbackFor?.id, roleId].join(" ");

/**
 * Looks for, sends and records the messages of one server: where each may end up is put down before it is sent, and what may
 * have been sent is looked for before it is sent again.
 */
export class Delivery {
  private readonly deps: DeliveryDeps;

  constructor(deps: DeliveryDeps) {
    this.deps = deps;
  }

  kindOf(row: MessageRow): AnyKind {
    // TypeScript does not see that the kind of a row's name takes such rows.
    return this.deps.kinds[row.kind] as unknown as AnyKind;
  }

  /** From when on (epoch ms) it may have been sent; undefined where it certainly was not. */
  uncertainSince(key: string, { attempts, since, foundAt }: OutboxRow, by: Planning): number | undefined {
    if (this.deps.memory.isNotSent(key)) return undefined;
    const times = [...attempts.map(({ at }) => at), since, by.sentSince(foundAt)].filter((at) => at !== undefined);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  private assertLease() {
    if (this.deps.signal.aborted || !this.deps.holdsLease()) throw new ConflictError();
  }

  /**
   * Does the next thing with rows of one channel, of which `first` comes first. Throws {@link HistoryHiddenError}, `MessengerError` where a message may be sent
   * later, `ConflictError`, and `StorageError`.
   */
  async next(first: MessageRow, rows: readonly MessageRow[], at: Scope): Promise<void> {
    const { channels } = this.deps;
    const { lane, target, guild, by } = at;
    const doubtful = rows.filter((row) => this.uncertainSince(keyOf(row), row, by) !== undefined);
    const [doubted] = doubtful;
    if (doubted !== undefined) {
      const some = doubtful.filter(({ kind }) => kind === doubted.kind).slice(0, lookedForAtOnce);
      return this.lookFor(some, at).catch((error: unknown) => {
        const isHidden = error instanceof MessengerError && error.code !== "channel_gone";
        throw isHidden ? new HistoryHiddenError(error) : error;
      });
    }
    const { channelId } = target;
    const kind = this.kindOf(first);
    const name = targetName(target);
    const together = rows.filter((row) => {
      const there = row.kind === first.kind && kind.target(row, guild, channels);
      const isAlike = sentWith(row) === sentWith(first) && kind.together(row) === kind.together(first);
      return there && targetName(there) === name && isAlike;
    });
    const message = this.messageOf(first, together, kind, guild);
    await this.send(message, at, kind).catch((error: unknown) => {
      const isUnclear = error instanceof MessengerError && error.code === "uncertain";
      if (isUnclear) channels.rowsFailed(lane, channelId, message.map(keyOf));
      throw error;
    });
  }

  /** The rows of the next message, chosen from those that were last sent together, or from those that were not sent. */
  private messageOf(
    first: MessageRow,
    rows: readonly MessageRow[],
    kind: AnyKind,
    guild: Guild,
  ): readonly MessageRow[] {
    const isAlone = (row: MessageRow) => this.deps.memory.isAlone(keyOf(row)) || kind.most(row, guild) === 1;
    if (isAlone(first)) return [first];
    const others = rows.filter((row) => !isAlone(row));
    const members = first.attempts.at(-1)?.members ?? [];
    const place = (row: MessageRow) => members.indexOf(keyOf(row));
    if (members.length > 0) return others.toSorted((one, other) => place(one) - place(other));
    if (others.length <= kind.singles) return [first];
    return others.toSorted((one, other) => one.foundAt - other.foundAt).slice(0, kind.most(first, guild));
  }

  private async send(given: readonly MessageRow[], at: Scope, kind: AnyKind) {
    const { ledger, messenger, lease, memory, log, guildId } = this.deps;
    const { target, guild, stop } = at;
    const { channelId } = target;
    const ids = given.flatMap((row) => kind.orderIds(row));
    const known = await ledger.entries(ids);
    const rows = await this.wanted(given, kind, guild, known);
    if (rows.length === 0) return;
    const keys = rows.map(keyOf);
    const attempts = await this.attempt(rows, given, channelId, known, kind);
    const shown = new Map(
      keys.flatMap((key, index) => [[kind.orderIds(rows[index] as MessageRow)[0] ?? key, attempts.shown[index] ?? ""]]),
    );
    const orders = inStatuses(known, shown);
    const scene = { guild, orders, target };
    const replyTo = rows[0] && kind.replyTo?.(rows[0], channelId);
    const nonce = nonceFor(guildId, channelId, attempts.members);
    const payload = await kind.render(rows, scene, false);
    const forms = [
      { payload, replyTo },
      // A reply takes the permission to read the history.
      ...(replyTo === undefined ? [] : [{ payload, replyTo: undefined }]),
      ...(rows.length === 1 ? [{ payload: await kind.render(rows, scene, true), replyTo: undefined }] : []),
    ];
    for (const key of keys) memory.sending(key);
    const signal = lease.signal();
    for (const [index, form] of forms.entries()) {
      this.assertLease();
      try {
        const { id } = await messenger.send(channelId, form.payload, nonce, { signal, stop, replyTo: form.replyTo });
        const members = rows.flatMap((row) => kind.orderIds(row));
        await this.settle(rows, { channelId, messageId: id, isClassic: true, members, shown }, kind, known, at);
        log.info({ guild: guildId, orders: Math.max(members.length, rows.length) }, kind.posted);
        return;
      } catch (error) {
        if (error instanceof CalledOffError) await this.certainlyNotSent(rows);
        if (!(error instanceof MessengerError) || error.code === "uncertain") throw error;
        const isRefused = error.code === "refused";
        const isLast = index === forms.length - 1;
        if (!isLast && (isRefused || (error.code === "forbidden" && form.replyTo !== undefined))) continue;
        await this.certainlyNotSent(rows);
        if (!isRefused) throw error;
        if (rows.length > 1) {
          for (const key of keys) memory.refusedTogether(key);
          return;
        }
        for (const key of keys) memory.failed(key);
        log.error({ err: error, guild: guildId, keys }, "Discord refuses a message; it is kept, and tried again");
        this.deps.failed("refused");
        return;
      }
    }
  }

  /** The send of these rows certainly posted nothing, so they keep the attempts of earlier sends alone. */
  private certainlyNotSent(rows: readonly MessageRow[]): Promise<void> {
    const withEarlier = (_: Orders, outbox: Outbox) => [
      {
        put: rows.flatMap((row) => {
          const present = outbox.get(keyOf(row));
          return present ? [{ ...present, attempts: row.attempts }] : [];
        }),
      },
    ];
    return this.deps.ledger.write([], withEarlier, true);
  }

  /** What of these rows is still to be sent; the others are dropped. */
  private async wanted(
    rows: readonly MessageRow[],
    kind: AnyKind,
    guild: Guild,
    orders: Orders,
  ): Promise<MessageRow[]> {
    if (!kind.wanted) return [...rows];
    const wanted: MessageRow[] = [];
    for (const row of rows) {
      const key = keyOf(row);
      try {
        const next = await kind.wanted(row, guild, orders);
        if (next) wanted.push(next);
        else await this.deps.ledger.write([], (_, outbox) => (outbox.get(key) === row ? [{ drop: [key] }] : []));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        this.deps.memory.failed(key, error.retryAfterMs);
        this.deps.log.warn({ err: error, guild: guild.id, key }, "an order could not be read; its message waits");
      }
    }
    return wanted;
  }

  /**
   * Puts down where this message of the `given` rows may end up, and what it shows. What is known already is put down once
   * more: no send leaves that another process's change of the record would not have kept back.
   */
  private async attempt(
    rows: readonly MessageRow[],
    given: readonly MessageRow[],
    channelId: string,
    orders: Orders,
    kind: AnyKind,
  ) {
    const { ledger, now } = this.deps;
    const members = rows.map(keyOf);
    const before = rows[0]?.attempts.at(-1);
    const isSame = (row: MessageRow) => {
      const last = row.attempts.at(-1);
      return last?.channelId === channelId && last.members.join() === members.join();
    };
    const statusOf = (row: MessageRow) => {
      const order = orders.get(kind.orderIds(row)[0] ?? "");
      return order && "facts" in order ? order.facts.status : "";
    };
    const known = rows.every(isSame) ? before : undefined;
    const attempt = known ?? { channelId, members, shown: rows.map(statusOf), at: now() };
    const changed = rows.map((row) => ({
      ...row,
      attempts: [...row.attempts.filter((one) => one.channelId !== channelId), attempt],
    }));
    await ledger.write([], (_, outbox) => {
      // What a row says may have changed since it was asked for.
      const isPresent = (row: MessageRow) => !members.includes(keyOf(row)) || outbox.get(keyOf(row)) === row;
      if (!given.every(isPresent)) throw new ConflictError();
      return [{ put: changed }];
    });
    return attempt;
  }

  /** Records that these rows stand in a channel, whatever was changed meanwhile. Where they were to stand, posting works. */
  private async settle(
    rows: readonly MessageRow[],
    at: StandingMessage,
    kind: AnyKind,
    known: Orders,
    { lane, guild, target, by }: Scope,
  ) {
    const { ledger, channels, metrics, now } = this.deps;
    // What is said of an order may end what its alert waits for, with all orders in it.
    const membersOf = (id: string) => {
      const order = known.get(id);
      return order && "stand" in order ? order.stand.members : [id];
    };
    const ids = [...new Set(rows.flatMap((row) => kind.orderIds(row)).flatMap(membersOf))];
    let recorded: readonly MessageRow[] = [];
    const settled = (orders: Orders, outbox: Outbox) => {
      recorded = rows.filter((row) => outbox.has(keyOf(row)));
      const after = new Map(orders);
      const change = recorded.map((row) => {
        const one = kind.settled?.(row, at, after, { ...by, outbox, now: now() }) ?? {};
        for (const [id, order] of one.orders ?? []) if (order) after.set(id, order);
        return one;
      });
      return [
        {
          orders: change.flatMap(({ orders: changed = [] }) => changed),
          put: change.flatMap(({ put = [] }) => put),
          drop: [...recorded.map(keyOf), ...change.flatMap(({ drop = [] }) => drop)],
        },
      ];
    };
    await ledger.write(ids, settled, true);
    for (const row of recorded) {
      if (row.kind !== "alert" || at.since !== undefined) continue;
      const order = (await ledger.entries([row.orderId])).get(row.orderId);
      const createdAt = order && "facts" in order ? order.facts.createdAt : undefined;
      const sinceCreatedMs = createdAt === undefined ? undefined : now() - createdAt;
      metrics.alertPosted({ sinceCreatedMs, sinceSeenMs: now() - row.foundAt });
    }
    if (at.channelId === target.channelId) await channels.works(lane, guild, target);
  }

  /** Looks in their channels for rows that may have been sent, and records those that were. */
  private async lookFor(rows: readonly MessageRow[], at: Scope) {
    const { ledger, channels, messenger, memory, now, guildId, log } = this.deps;
    const { lane, target, guild, by, stop } = at;
    const [first] = rows;
    if (first === undefined) return;
    const kind = this.kindOf(first);
    const orders = await ledger.entries(rows.flatMap((row) => kind.orderIds(row)));
    const begins = rows.map((row) => {
      const since = this.uncertainSince(keyOf(row), row, by) ?? row.foundAt;
      return kind.begin?.(row, since, orders) ?? since;
    });
    const since = searchSince(begins, now());
    const byMark = new Map<string, MessageRow>();
    for (const row of rows) for (const mark of kind.marks(row, guildId)) byMark.set(mark, row);
    const places = new Set(
      rows.flatMap((row) => {
        const attempted = row.attempts.map(({ channelId }) => channelId);
        // The copy of the storage that was restored is older than a send.
        const isOlder = row.since !== undefined || by.sentSince(row.foundAt) !== undefined;
        return isOlder ? [...attempted, target.channelId, ...kind.others(row, guild)] : attempted;
      }),
    );
    const found = new Map<MessageRow, StandingMessage>();
    for (const channelId of places) {
      const messages = await messenger.own(channelId, since).catch((error: unknown) => {
        if (channelId !== target.channelId && error instanceof MessengerError && blocksChannel(error.code)) return [];
        throw error;
      });
      // The oldest message of an order is the last one: what came after its alert has the same marks.
      for (const [index, message] of messages.entries()) {
        if (index % messagesAtOnce === messagesAtOnce - 1) await setImmediate();
        const marks = kind.marksOf(message);
        const those = marks.flatMap((mark) => byMark.get(mark) ?? []).filter((row) => !isAnswered(row, message.id));
        const shown = new Map(those.flatMap((row) => shownIn(row, channelId, kind)));
        const stands = { channelId, messageId: message.id, isClassic: !message.isV2, members: marks, shown, since };
        for (const row of those) found.set(row, stands);
      }
    }
    this.assertLease();
    if (stop.aborted) throw new ConflictError();
    await channels.shown(lane, { ...target, route: places.has(target.channelId) ? target.route : undefined });
    for (const [stands, some] of Map.groupBy(found.keys(), (row) => found.get(row) as StandingMessage)) {
      await this.settle(some, stands, kind, orders, at);
    }
    if (found.size > 0)
      log.info(
        { guild: guildId, kind: first.kind, found: found.size },
        "sent without an answer, and found in the channel",
      );
    for (const row of rows) if (!found.has(row)) memory.missing(keyOf(row));
  }
}

/** Rows with the same text here were in one message when they were last sent, or were not sent. */
const sentWith = ({ attempts }: MessageRow) => attempts.at(-1)?.members.join() ?? "";

/** A reply has the marks of the alert that it answers. */
const isAnswered = (row: MessageRow, messageId: string) => "messageId" in row && row.messageId === messageId;

function shownIn(row: MessageRow, channelId: string, kind: AnyKind): [string, string][] {
  const attempt = row.attempts.findLast((one) => one.channelId === channelId);
  const status = attempt?.shown[attempt.members.indexOf(keyOf(row))];
  const [id] = kind.orderIds(row);
  return status === undefined || id === undefined ? [] : [[id, status]];
}

/** The orders, each in the status in which a message is to show it. */
function inStatuses(orders: Orders, shown: ReadonlyMap<string, string>): Orders {
  return new Map(
    [...orders].map(([id, row]) => {
      const status = shown.get(id);
      return [id, "facts" in row && status ? { ...row, facts: { ...row.facts, status } } : row];
    }),
  );
}
