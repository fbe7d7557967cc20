import { countedIn, isDone } from "../baseline/baseline-rules.ts";
import { changeRules } from "../baseline/change-rules.ts";
import { type ConnectedStore, connectStore } from "../baseline/connect-store.ts";
import { type ChosenAlerts, type TurnedOn, turnOn } from "../baseline/turn-on.ts";
import type { DigestPlan } from "../guilds/digest-settings.ts";
import { type Guild, withSettings } from "../guilds/guild.ts";
import { GuildError } from "../guilds/guilds.ts";
import type { Rule } from "../guilds/rule.ts";
import { channelContext } from "../orders/channel-context.ts";
import type { ProcessContext } from "../outbox/context.ts";
import { digestStateOf, digestsAt, digestZone } from "../outbox/digest-due.ts";
import { createDigestSums } from "../outbox/digest-sums.ts";
import { MessengerError, nonceFor } from "../outbox/messenger.ts";
import { refusals } from "../outbox/notices.ts";
import { RestoredCopy } from "../outbox/restored-copy.ts";
import { GuildPoller, type ServerCommand } from "../polling/guild-poller.ts";
import type { PollHealth } from "../polling/poll-backoff.ts";
import type { Store } from "../store-api/store-api.ts";
import { alertMessage } from "../views/alerts/alert-message.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { sampleOrder } from "./sample-order.ts";
import { type ShowTakesOptions, showTakes } from "./show-takes.ts";

/** What `/alerts status` shows. Times are epoch ms. */
export interface AlertStatus extends Readonly<PollHealth> {
  readonly planned: number;
  readonly followed: number;
  /** While a baseline is being read: how many orders were treated as seen so far. */
  readonly baselineCounted: number | undefined;
  readonly refusedSince: number | undefined;
  readonly blockedSince: number | undefined;
  /** The channels of rules and digests in which posting fails, each with the time when it began to fail. */
  readonly blockedElsewhere: ReadonlyMap<string, number>;
}

/** `timezone` is an IANA name. If it is undefined, the server's time zone counts. */
export type ChosenDigest = Omit<DigestPlan, "since"> & { readonly timezone?: string | undefined };

export interface AlertsDeps extends Omit<ProcessContext, "restored" | "digestSums"> {
  pollSoon(guildId: string): void;
  /** Tells the process that polls the server about changed channels, but only if Discord refuses messages in this server. */
  tellChannelsChanged(guildId: string): void;
}

/** Called when no poll runs. Returns the store that is connected at that time. Its requests go before those of polls. */
type Connected = () => Promise<{ readonly store: Store }>;

/** Called by commands and by the schedule. Methods that use the storage throw `StorageError`, except `poll` and `showTakes`. */
export class Alerts {
  private readonly deps: AlertsDeps & ProcessContext;
  private readonly pollers = new Map<string, GuildPoller>();

  constructor(deps: AlertsDeps) {
    this.deps = {
      ...deps,
      restored: new RestoredCopy(deps.storage, deps.now),
      digestSums: createDigestSums(deps),
    };
    this.deps.metrics.alertsOwed(() => this.planned());
    deps.guilds.onChange((guildId) => {
      this.pollers.get(guildId)?.recordChanged();
    });
  }

  private pollerOf(guildId: string): GuildPoller {
    const known = this.pollers.get(guildId);
    if (known) return known;
    const poller = new GuildPoller(guildId, this.deps);
    this.pollers.set(guildId, poller);
    return poller;
  }

  /** As `GuildPoller.poll`. If this process does not poll the server's partition, does nothing and uses no memory. */
  async poll(guildId: string): Promise<number | undefined> {
    return this.isElsewhere(guildId) ? undefined : this.pollerOf(guildId).poll();
  }

  private isElsewhere(guildId: string): boolean {
    return this.deps.leaseOf(guildId).signal().aborted;
  }

  private planned(): number {
    let planned = 0;
    for (const { server } of this.pollers.values()) {
      for (const { kind } of server.ledger.outboxInMemory.values()) if (kind === "alert") planned++;
    }
    return planned;
  }

  /** Runs a command that changes the server's record, and polls soon. */
  private async change<T>(guildId: string, work: (command: ServerCommand) => Promise<T>): Promise<T> {
    const result = await this.pollerOf(guildId).soon(work);
    this.deps.pollSoon(guildId);
    return result;
  }

  /** As `turnOn` of baseline/. Also throws the errors of `connected`; then nothing was changed. */
  async turnOn(guildId: string, connected: Connected, chosen: ChosenAlerts): Promise<TurnedOn> {
    const result = await this.change(guildId, async ({ baselineReader, notices }) =>
      turnOn(baselineReader, notices, (await connected()).store, chosen),
    );
    this.channelChanged(guildId);
    return result;
  }

  connect(guildId: string, store: Store, token: string): Promise<ConnectedStore> {
    return this.change(guildId, ({ baselineReader }) => connectStore(baselineReader, store, token));
  }

  /** As `changeRules` of baseline/. Also throws the errors of `connected`; then nothing was changed. */
  changeRules(
    guildId: string,
    connected: Connected,
    change: (routes: readonly Rule[]) => readonly Rule[],
  ): Promise<void> {
    return this.change(guildId, async ({ baselineReader }) =>
      changeRules(baselineReader, (await connected()).store, change),
    );
  }

  /**
   * Turns reminders off if `change` returns undefined. Returns the new settings. Throws the errors of `change`, and a
   * `ProblemError` if the server's data was deleted meanwhile.
   */
  async remind(guildId: string, change: (before: Guild["remind"]) => Guild["remind"]): Promise<Guild["remind"]> {
    const changed = await this.deps.guilds.amend(guildId, ({ remind: before, ...guild }) => {
      const remind = change(before);
      return { ...guild, ...(remind && { remind }) };
    });
    if (changed === undefined) throw new ProblemError({ code: "not_connected" });
    this.deps.pollSoon(guildId);
    return changed.remind;
  }

  /** Polls soon, because the next digest may now be due before the next poll. */
  async changeSettings(guildId: string, change: (settings: Guild["settings"]) => Guild["settings"]): Promise<Guild> {
    const { guilds, now } = this.deps;
    const guild = await guilds.update(guildId, (kept) => withSettings(kept, change(kept.settings), now()));
    this.deps.pollSoon(guildId);
    return guild;
  }

  /** Returns how many waiting alerts were dropped. */
  turnOff(guildId: string): Promise<number> {
    return this.pollerOf(guildId).soon(async ({ server: { ledger }, notices, baselineReader }) => {
      const withoutAlerts = ({ alerts: _, ...guild }: Guild) => guild;
      await this.deps.guilds.amend(guildId, withoutAlerts, baselineReader.end);
      const waiting = [...(await ledger.outbox()).values()].filter(({ kind }) => kind === "alert");
      await ledger.end();
      await notices.alertsOff();
      return waiting.length;
    });
  }

  /** Returns when the next digest is due (epoch ms). Throws a `ProblemError` if the server's data was deleted meanwhile. */
  setDigest(guildId: string, { timezone, ...place }: ChosenDigest): Promise<number> {
    const since = this.deps.now();
    const plan = { ...place, since };
    return this.change(guildId, async ({ server: { storage } }) => {
      const guild = await this.deps.guilds.amend(guildId, (kept) => ({ ...kept, digest: { timezone, plan } }));
      if (guild === undefined) throw new ProblemError({ code: "not_connected" });
      const { done } = await digestStateOf(storage, guildId);
      return digestsAt({ plan, done }, digestZone(guild), since).nextAt;
    });
  }

  /** The digest's time zone stays stored: `/stats` and the next `/digest set` use it if no other zone is chosen. */
  turnDigestOff(guildId: string): Promise<void> {
    return this.pollerOf(guildId).soon(async () => {
      const withoutPlan = ({ digest, ...guild }: Guild): Guild =>
        digest?.timezone === undefined ? guild : { ...guild, digest: { timezone: digest.timezone } };
      await this.deps.guilds.amend(guildId, withoutPlan);
    });
  }

  /**
   * @param mentions false for a person who may not mention the role
   * @throws MessengerError
   */
  async test(guild: Guild, { mentions }: { readonly mentions: boolean }): Promise<void> {
    if (!guild.alerts) throw new MessengerError("channel_gone");
    const now = this.deps.now();
    const { channelId } = guild.alerts;
    const roleId = mentions ? guild.alerts.roleId : undefined;
    const order = sampleOrder(guild.settings.language, now);
    const payload = alertMessage([order], channelContext(guild), { sample: true, ...(roleId ? { roleId } : {}) });
    await this.deps.messenger.send(channelId, payload, nonceFor(guild.id, channelId, ["sample", String(now)]));
    this.channelChanged(guild.id);
  }

  /** If the edit fails, the next press of a button repeats it. Never rejects. */
  async showTakes(guild: Guild, orderId: string, options: ShowTakesOptions): Promise<void> {
    await showTakes(this.pollerOf(guild.id).server, guild, orderId, options).catch((error: unknown) => {
      this.deps.log.warn({ err: error, guild: guild.id }, "could not show in an alert who took its order");
    });
  }

  /** Up to 5 orders of the server's store (see `Ledger.ordersOfStore`). */
  idsKnown(guildId: string): Promise<readonly string[]> {
    return this.pollerOf(guildId).server.ledger.ordersOfStore();
  }

  async status(guildId: string): Promise<AlertStatus> {
    const poller = this.pollerOf(guildId);
    const command = poller.command();
    const { baselineReader, notices } = command;
    const { ledger } = command.server;
    const guild = await this.deps.guilds.get(guildId);
    const baseline = await baselineReader.state();
    const outbox = await ledger.outbox();
    return {
      ...(await poller.lastHealth(command)),
      planned: [...outbox.values()].filter(({ kind }) => kind === "alert").length,
      followed: (await ledger.openIds()).length,
      baselineCounted: baseline && !isDone(baseline) ? countedIn(baseline) : undefined,
      ...refusals(await notices.record(), guild),
    };
  }

  /** Called after a change of the server's channels or roles. Messages that could not be posted are tried again soon. */
  channelChanged(guildId: string) {
    if (this.isElsewhere(guildId)) this.deps.tellChannelsChanged(guildId);
    this.pollers.get(guildId)?.sender.changed();
  }

  /** Another process changed the records of these servers, or their channels. */
  changedElsewhere(guildIds: readonly string[]) {
    for (const guildId of guildIds) {
      this.pollers.get(guildId)?.forgetMemory();
      this.deps.pollSoon(guildId);
    }
  }

  /** Called when this process no longer polls these servers, because another process may then change their data. */
  forgetMemory(isTheirs: (guildId: string) => boolean = () => true) {
    this.deps.restored.forgetMemory();
    for (const [guildId, poller] of this.pollers) {
      if (!isTheirs(guildId)) continue;
      poller.forgetMemory();
      void poller.idle().then(() => this.drop(guildId, poller));
    }
  }

  private drop(guildId: string, poller: GuildPoller) {
    if (this.isElsewhere(guildId) && this.pollers.get(guildId) === poller) this.pollers.delete(guildId);
  }

  /**
   * Deletes all data of a server, while no poll of this process runs. The record is deleted last. If the process is killed
   * before that, the record shows that the deletion must be repeated.
   *
   * @param deleteData deletes all data of the server except its record (forget-server.ts)
   * @param assertAsked called when no poll runs. If it throws, nothing is deleted, and its error is thrown
   */
  forget(guildId: string, deleteData: () => Promise<unknown>, assertAsked?: () => Promise<unknown>): Promise<void> {
    const poller = this.pollerOf(guildId);
    return poller.soon(async ({ baselineReader }) => {
      await assertAsked?.();
      // The token is removed first, so that nothing is announced from partly deleted data.
      await this.deps.guilds.disconnect(guildId, baselineReader.end).catch((error: unknown) => {
        // If the record is malformed, no messages are sent anyway.
        if (!(error instanceof GuildError)) throw error;
      });
      poller.forgetMemory();
      await deleteData();
      await this.deps.guilds.remove(guildId);
      this.pollers.delete(guildId);
    });
  }

  async idle(): Promise<void> {
    await Promise.all([...this.pollers.values()].map((poller) => poller.idle()));
  }

  async settled(isOne: (guildId: string) => boolean = () => true): Promise<void> {
    await Promise.all([...this.pollers].map(([guildId, poller]) => (isOne(guildId) ? poller.settled() : undefined)));
  }
}
