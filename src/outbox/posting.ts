import { ConflictError } from "../orders/guild-lease.ts";
import type { Orders, Outbox } from "../orders/ledger.ts";
import { factsOf } from "../orders/order-row.ts";
import { keyOf } from "../orders/outbox-row.ts";
import { StoreError } from "../store-api/store-error.ts";
import { type AnyKind, kindOf, type MessageRow, type PostedRecord, type Scope, type SenderState } from "./kind.ts";
import { MessengerError, nonceFor } from "./messenger.ts";
import { findPosted } from "./posted-before.ts";
import { rowsOfMessage } from "./rows-of-message.ts";

// Posts the messages of one server, each once. sender.ts decides when and where; the kinds (kinds/) decide the content.
//
// 1. The attempt is recorded: the channel, and the rows of the message.
// 2. The message is sent.
// 3. a. If Discord accepted the message, its channel and id are recorded, and its rows are removed.
//    b. If Discord clearly refused each form that was tried, or the send was called off, the attempt is removed.
//    c. If no clear answer came, the process was killed, or the result could not be recorded, the attempt stays. The rows are
//       now in doubt, so posted-before.ts searches the channel before they are sent again. The search recognises the message by
//       its marks. If the message appears only after the search, Discord recognises the second message by its nonce.

interface Message {
  readonly rows: readonly MessageRow[];
  readonly kind: AnyKind;
  readonly orders: Orders;
}

/** Searches for the messages of those rows that have the first row's kind. Other rows wait. */
export async function searchInDoubt(state: SenderState, inDoubt: readonly [MessageRow, ...MessageRow[]], scope: Scope) {
  const { channels, kinds, memory } = state;
  const [doubted] = inDoubt;
  const rows = inDoubt.filter((row) => row.kind === doubted.kind);
  const kind = kindOf(doubted, kinds);
  const { ledger, guildId, log } = state.server;
  const orders = await ledger.entries(rows.flatMap((row) => kind.orderIds(row)));
  const { found, unread } = await findPosted(state, { rows, kind, orders }, scope);
  channels.answered("search", scope.target.channelId);
  for (const [message, posted] of Map.groupBy(found.keys(), (row) => found.get(row) as PostedRecord)) {
    await recordPosted(state, { rows: posted, kind, orders }, message, scope, false);
  }
  const count = found.size;
  if (count > 0)
    log.info({ guild: guildId, kind: doubted.kind, found: count }, "messages in doubt were already posted");
  const isUnread = (row: MessageRow) => row.attempts.some(({ channelId }) => unread.has(channelId));
  const missing = rows.filter((row) => !found.has(row));
  memory.failed(missing.filter(isUnread).map(keyOf));
  for (const row of missing) if (!isUnread(row)) memory.notFound.set(row, scope.stop);
}

/**
 * Posts one message with `first`, and perhaps with other rows of `due`. Rows that could not be posted stay in the outbox. If
 * the send fails, throws `MessengerError`, except if Discord refused the content.
 *
 * @param due all rows of the lane in the channel that may be posted now. None of them is in doubt
 */
export async function postNext(state: SenderState, first: MessageRow, due: readonly MessageRow[], scope: Scope) {
  const { ledger, guildId: guild, log } = state.server;
  const kind = kindOf(first, state.kinds);
  const chosen = rowsOfMessage(state, first, due, scope);
  const orders = await ledger.entries(chosen.flatMap((row) => kind.orderIds(row)));
  const wanted = await stillWanted(state, { rows: chosen, kind, orders }, scope);
  if (wanted.length === 0) return;
  const rows = await recordAttempt(state, { rows: wanted, kind, orders }, chosen, scope);
  let record: PostedRecord | undefined;
  try {
    record = await send(state, { rows, kind, orders }, scope);
  } catch (error) {
    return sendFailed(state, wanted, error);
  }
  if (record === undefined) return removeAttempt(state, wanted);
  await recordPosted(state, { rows, kind, orders }, record, scope, true);
  log.info({ guild, orders: Math.max(record.members.length, rows.length) }, kind.logText);
}

async function stillWanted(
  { server, memory }: SenderState,
  { rows, kind, orders }: Message,
  scope: Scope,
): Promise<readonly MessageRow[]> {
  if (!kind.wanted) return rows;
  const wanted: MessageRow[] = [];
  for (const row of rows) {
    const key = keyOf(row);
    try {
      const part = await kind.wanted(row, scope, orders);
      if (part) wanted.push(part);
      else await server.ledger.write([], (_, outbox) => (outbox.get(key) === row ? [{ drop: [key] }] : []));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      memory.failed([key], error.retryAfterMs);
      server.log.warn({ err: error, guild: server.guildId, key }, "an order could not be read; its message waits");
    }
  }
  return wanted;
}

/**
 * Throws `ConflictError` if a row was changed, or if another process has changed the server's record. Only a commit notices
 * these changes, so an attempt is written even if it equals the last one.
 */
async function recordAttempt(
  { server }: SenderState,
  { rows, kind, orders }: Message,
  chosen: readonly MessageRow[],
  { target: { channelId } }: Scope,
): Promise<readonly MessageRow[]> {
  const members = rows.map(keyOf);
  const isRepeat = (row: MessageRow) => {
    const last = row.attempts.at(-1);
    return last?.channelId === channelId && last.members.join() === members.join();
  };
  const statusOf = (row: MessageRow) => factsOf(orders.get(kind.orderIds(row)[0] ?? ""))?.status ?? "";
  const repeated = rows.every(isRepeat) ? rows[0]?.attempts.at(-1) : undefined;
  const attempt = repeated ?? { channelId, members, shown: rows.map(statusOf), at: server.now() };
  // An earlier attempt in this channel is dropped, because a search did not find its message.
  const attempted = rows.map((row) => ({
    ...row,
    attempts: [...row.attempts.filter((earlier) => earlier.channelId !== channelId), attempt],
  }));
  await server.ledger.write([], (_, outbox) => {
    const isUnchanged = (row: MessageRow) => !members.includes(keyOf(row)) || outbox.get(keyOf(row)) === row;
    if (!chosen.every(isUnchanged)) throw new ConflictError();
    return [{ put: attempted }];
  });
  return attempted;
}

/** The forms of a message, the preferred one first. If Discord refuses one, the next is sent. */
async function formsOf({ rows, kind, orders }: Message, { guild, target }: Pick<Scope, "guild" | "target">) {
  const form = async (replyTo: string | undefined, isBare: boolean) => ({
    payload: await kind.render(rows, { guild, target, orders, isReply: replyTo !== undefined }, isBare),
    replyTo,
  });
  const [first] = rows;
  const isReply = first && "messageId" in first && first.channelId === target.channelId;
  return [
    ...(isReply ? [await form(first.messageId, false)] : []),
    // Discord refuses a reply if the bot may not read the history, or if the alert was deleted.
    await form(undefined, false),
    // Discord may refuse a text of other people, or a file if the bot lacks the permission for files.
    ...(rows.length === 1 ? [await form(undefined, true)] : []),
  ];
}

/** Undefined if the send was called off. */
async function send(
  state: SenderState,
  message: Message,
  { target, guild, stop }: Scope,
): Promise<PostedRecord | undefined> {
  const { messenger, lease, guildId, holdsLease } = state.server;
  const { rows, kind } = message;
  const { channelId } = target;
  const forms = await formsOf(message, { guild, target });
  const nonce = nonceFor(
    guildId,
    channelId,
    rows.flatMap((row) => [keyOf(row), String(row.foundAt)]),
  );
  const signal = lease.signal();
  let refusal: unknown;
  for (const { payload, replyTo } of forms) {
    // If the process was suspended, the lease may be over although its signal is not aborted yet.
    if (!holdsLease()) throw new ConflictError();
    try {
      const posted = await messenger.send(channelId, payload, nonce, { signal, stop, replyTo });
      const members = rows.flatMap((row) => kind.orderIds(row));
      return posted && { channelId, messageId: posted.id, isClassic: true, members };
    } catch (error) {
      const code = error instanceof MessengerError ? error.code : undefined;
      const needsMore = replyTo !== undefined || payload.files !== undefined;
      if (code !== "refused" && !(code === "forbidden" && needsMore)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** Called if the send certainly posted nothing. The attempts of earlier sends stay. */
async function removeAttempt({ server }: SenderState, rows: readonly MessageRow[]) {
  const withEarlier = (_: Orders, outbox: Outbox) => {
    const put = rows.flatMap((row) => {
      const present = outbox.get(keyOf(row));
      return present ? [{ ...present, attempts: row.attempts }] : [];
    });
    return [{ put }];
  };
  await server.ledger.write([], withEarlier, server.commitHappened);
}

/** Returns only if Discord refused the content of the message. Otherwise throws `error`. */
async function sendFailed(state: SenderState, rows: readonly MessageRow[], error: unknown): Promise<void> {
  if (!(error instanceof MessengerError)) throw error;
  const { server, memory } = state;
  const keys = rows.map(keyOf);
  if (error.code === "uncertain") memory.failed(keys);
  else await removeAttempt(state, rows);
  if (error.code !== "refused") throw error;
  if (keys.length > 1) {
    for (const key of keys) memory.note(key, { isAlone: true });
    return;
  }
  memory.failed(keys);
  server.log.error(
    { err: error, guild: server.guildId, keys },
    "Discord refuses a message; it waits, and is tried again",
  );
  server.failed("refused");
}

/**
 * A message in the target channel proves that the channel works.
 *
 * @param isSent false if a search found the message
 */
async function recordPosted(
  { server, channels }: SenderState,
  { rows, kind, orders }: Message,
  record: PostedRecord,
  { lane, guild, target, planning }: Scope,
  isSent: boolean,
) {
  const { ledger, commitHappened, now } = server;
  const orderIds = [...new Set(rows.flatMap((row) => kind.orderIds(row)))];
  const changeOf = (present: Orders, outbox: Outbox) =>
    rows.flatMap((row) => {
      if (!outbox.has(keyOf(row))) return [];
      const change = kind.afterPosted?.(row, record, present, { ...planning, outbox, now: now() }) ?? {};
      return { ...change, drop: [keyOf(row), ...(change.drop ?? [])] };
    });
  await ledger.write(orderIds, changeOf, commitHappened);
  for (const row of rows) kind.count?.(row, orders, isSent);
  if (record.channelId === target.channelId) await channels.works(lane, guild, target.channelId);
}
