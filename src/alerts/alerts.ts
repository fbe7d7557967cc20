import { changeRules } from "../baseline/change-rules.ts";
import { connectStore } from "../baseline/connect-store.ts";
import { type ChosenAlerts, type TurnedOn, turnOn } from "../baseline/turn-on.ts";
import { type ChosenDigest, DigestPosters } from "../digests/digest-posters.ts";
import type { Guild } from "../guilds/guild.ts";
import { GuildError } from "../guilds/guilds.ts";
import type { RemindSettings } from "../guilds/remind-settings.ts";
import type { Rule } from "../guilds/rule.ts";
import { contextOf } from "../orders/alert-order.ts";
import type { BaselineState } from "../orders/baseline.ts";
import type { Outbox } from "../orders/ledger.ts";
import { MessengerError } from "../outbox/messenger.ts";
import { nonceFor } from "../outbox/nonce.ts";
import { RestoreMarker } from "../outbox/restore-marker.ts";
import type { ActiveGuilds } from "../polling/active-guilds.ts";
import { GuildPoller } from "../polling/guild-poller.ts";
import type { GuildPollerDeps } from "../polling/guild-poller-deps.ts";
import type { PollHealth } from "../polling/poll-failures.ts";
import type { Store } from "../store-api/store-api.ts";
import { alertMessage } from "../views/alerts/alert-message.ts";
import { hasButtons } from "../views/orders/handling.ts";
import { sampleOrder } from "./sample-order.ts";
import { type ShowTakesInput, showTakes } from "./show-takes.ts";

/** What `/alerts status` shows of a server. Times are epoch ms. */
export interface AlertStatus extends Readonly<PollHealth> {
  readonly planned: number;
  /** Posted alerts whose orders are still followed. */
  readonly followed: number;
  /** How many of both have no buttons. */
  readonly withoutButtons: number;
  readonly baseline: BaselineState | undefined;
  /** Since when the store refuses the token. */
  readonly refusedSince: number | undefined;
  /** Since when nothing can be posted in the alert channel. */
  readonly blockedSince: number | undefined;
}

export interface AlertsDeps extends Omit<GuildPollerDeps, "restored" | "touch"> {
  readonly roster: ActiveGuilds;
  /** Polls a server without waiting for the next round. The poll then decides when the server is polled again. */
  pollSoon(guildId: string): void;
  /** Is called when channels of a server changed: another process may wait for the change. */
  onChannelsChanged(guildId: string): void;
}

const alertsIn = (outbox: Outbox) => [...outbox.values()].filter(({ kind }) => kind === "alert").length;

/** Everything that commands ask of the alerts and digests. Each server has one poller. Every method but `poll` throws `StorageError`. */
export class Alerts {
  private readonly deps: GuildPollerDeps;
  private readonly roster: ActiveGuilds;
  private readonly pollSoon: (guildId: string) => void;
  private readonly onChannelsChanged: (guildId: string) => void;
  private readonly pollers = new Map<string, GuildPoller>();
  private readonly digests: DigestPosters;

  constructor(deps: AlertsDeps) {
    this.onChannelsChanged = deps.onChannelsChanged;
    this.roster = deps.roster;
    this.pollSoon = deps.pollSoon;
    this.deps = {
      ...deps,
      restored: new RestoreMarker(deps.storage, deps.now),
      touch: (guildId) => deps.roster.touch(guildId),
    };
    this.deps.metrics.alertsOwed(() => this.planned());
    this.digests = new DigestPosters(this.deps);
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

  /** Polls one server. Never rejects. Gives the ms after which it wants to be polled again whatever the schedule says. */
  async poll(guildId: string): Promise<number | undefined> {
    const poller = this.pollerOf(guildId);
    const { health } = poller;
    const begun = this.deps.now();
    const retryMs = await poller.poll();
    // A storage that just failed is not asked again.
    if (health.lastError?.code === "storage" && health.lastError.at >= begun) return retryMs;
    const digestMs = await this.digests.post(guildId, poller);
    if (digestMs === undefined) return retryMs;
    return Math.min(retryMs ?? Number.POSITIVE_INFINITY, digestMs);
  }

  /** Number of waiting alerts in the outboxes that are in memory. */
  private planned(): number {
    let planned = 0;
    for (const { ledger } of this.pollers.values()) planned += alertsIn(ledger.outboxInMemory);
    return planned;
  }

  /**
   * Turns alerts on, or changes their channel or statuses. Existing orders are treated as already seen.
   *
   * @param seen the record by which `store` was made. If another store was connected since, that one is used.
   * @throws MessengerError if nothing can be posted in the channel, StoreError if the store cannot be read; nothing was changed
   */
  async turnOn(guildId: string, store: Store, chosen: ChosenAlerts, seen?: Guild): Promise<TurnedOn> {
    const poller = this.pollerOf(guildId);
    const result = await poller.soon(async () =>
      turnOn(poller, await this.presentStore(guildId, store, seen), chosen, async (settings, since, begun) => {
        await this.roster.add([guildId]);
        const change = (guild: Guild) => ({ ...guild, alerts: { since, ...guild.alerts, ...settings } });
        await this.deps.guilds.update(guildId, change, begun);
        await poller.notices.channelWorks();
      }),
    );
    this.channelChanged(guildId);
    this.pollSoon(guildId);
    return result;
  }

  private async presentStore(guildId: string, store: Store, seen: Guild | undefined): Promise<Store> {
    if (seen === undefined) return store;
    const guild = await this.deps.guilds.get(guildId);
    return guild.token?.sealed === seen.token?.sealed ? store : (this.deps.storeOf(guild) ?? store);
  }

  /**
   * Checks the store of a new token, and keeps the token if the store answers. If it is another store than before, its existing
   * orders are treated as already seen. Then the next poll announces what waited.
   *
   * @throws StoreError; nothing was changed
   */
  async connect(guildId: string, store: Store, token: string): Promise<Guild> {
    const poller = this.pollerOf(guildId);
    const guild = await poller.soon(() => connectStore(poller, store, token));
    poller.storeRecovered();
    this.pollSoon(guildId);
    return guild;
  }

  /**
   * Changes the rules. Existing orders in a status that no rule named before are treated as already seen.
   *
   * @param seen the record by which `store` was made. If another store was connected since, that one is used.
   * @throws StoreError if the store cannot be read; nothing was changed
   */
  async changeRules(
    guildId: string,
    store: Store,
    change: (routes: readonly Rule[]) => readonly Rule[],
    seen?: Guild,
  ): Promise<void> {
    const poller = this.pollerOf(guildId);
    await poller.soon(async () => changeRules(poller, await this.presentStore(guildId, store, seen), change));
    this.pollSoon(guildId);
  }

  /** Turns reminders on, or off without `settings`. */
  async remind(guildId: string, settings: RemindSettings | undefined): Promise<void> {
    await this.deps.guilds.update(guildId, ({ remind: _, ...guild }) => ({
      ...guild,
      ...(settings && { remind: settings }),
    }));
    this.pollSoon(guildId);
  }

  turnOff(guildId: string): Promise<void> {
    const poller = this.pollerOf(guildId);
    return poller.soon(async () => {
      const withoutAlerts = ({ alerts: _, ...guild }: Guild) => guild;
      const { digest } = await this.deps.guilds.update(guildId, withoutAlerts, poller.baselineReader.end);
      if (digest?.plan === undefined) await this.roster.remove(guildId);
      await poller.ledger.end();
      await poller.notices.clear();
    });
  }

  /** Turns digests on, or changes their channel or time. Returns when the next one is due, epoch ms. */
  async setDigest(guildId: string, chosen: ChosenDigest): Promise<number> {
    const nextAt = await this.pollerOf(guildId).soon(async () => {
      await this.roster.add([guildId]);
      return this.digests.set(guildId, chosen);
    });
    this.pollSoon(guildId);
    return nextAt;
  }

  /** Keeps the time zone of the digests, because `/stats` uses it if the server has none. */
  turnDigestOff(guildId: string): Promise<void> {
    return this.pollerOf(guildId).soon(async () => {
      const withoutPlan = ({ digest, ...guild }: Guild): Guild =>
        digest?.timezone === undefined ? guild : { ...guild, digest: { timezone: digest.timezone } };
      const { alerts } = await this.deps.guilds.update(guildId, withoutPlan);
      if (alerts === undefined) await this.roster.remove(guildId);
    });
  }

  /**
   * Posts a sample alert.
   *
   * @param mentions false for a person who may not mention the role
   * @throws MessengerError
   */
  async test(guild: Guild, { mentions }: { readonly mentions: boolean }): Promise<void> {
    if (!guild.alerts) throw new MessengerError("channel_gone");
    const now = this.deps.now();
    const { channelId } = guild.alerts;
    const roleId = mentions ? guild.alerts.roleId : undefined;
    const order = sampleOrder(guild.settings.language, now);
    const payload = alertMessage([order], contextOf(guild), { sample: true, ...(roleId ? { roleId } : {}) });
    await this.deps.messenger.send(channelId, payload, nonceFor(guild.id, channelId, ["sample", String(now)]));
    this.channelChanged(guild.id);
  }

  /**
   * Shows in an order's alert who took the order. If Discord refuses the edit, the next press shows it.
   *
   * @param from the message from which the order was opened
   */
  async showTakes(guild: Guild, orderId: string, shown: Pick<ShowTakesInput, "from" | "pace">): Promise<void> {
    const { ledger } = this.pollerOf(guild.id);
    await showTakes({ ...this.deps, ...shown, guild, orderId, ledger }).catch((error: unknown) => {
      this.deps.log.warn({ err: error, guild: guild.id }, "an alert does not show who took its order");
    });
  }

  /** Ids of the newest orders that were recorded of the server's store, 5 at most. */
  idsKnown(guildId: string): Promise<readonly string[]> {
    return this.pollerOf(guildId).ledger.ordersOfStore();
  }

  async status(guildId: string): Promise<AlertStatus> {
    const poller = this.pollerOf(guildId);
    poller.refresh();
    const { ledger, baselineReader, notices } = poller;
    const { refused, blocked } = await notices.record();
    const outbox = await ledger.outbox();
    const planned = [...outbox.values()].flatMap((row) => (row.kind === "alert" ? [row.orderId] : []));
    const followed = await ledger.openIds();
    return {
      ...(await poller.lastHealth()),
      planned: planned.length,
      followed: followed.length,
      withoutButtons: [...planned, ...followed].filter((id) => !hasButtons(id)).length,
      baseline: await baselineReader.state(await this.deps.guilds.get(guildId)),
      refusedSince: refused?.since,
      blockedSince: blocked?.since,
    };
  }

  /** To be called after a change of the server's channels or roles: messages that wait for such a change are tried again at once. */
  channelChanged(guildId: string) {
    this.onChannelsChanged(guildId);
    if (this.digests.channelChanged(guildId)) this.pollSoon(guildId);
    if (this.pollers.get(guildId)?.channelChanged()) this.pollSoon(guildId);
  }

  /** Has these servers polled, because their records say that alerts or digests are on. */
  async adopt(guildIds: readonly string[]): Promise<void> {
    await this.roster.add(guildIds);
  }

  /** To be called after another process changed data of these servers. */
  changedElsewhere(guildIds: readonly string[]) {
    for (const guildId of guildIds) {
      this.pollers.get(guildId)?.changedElsewhere();
      this.digests.channelChanged(guildId);
      this.pollSoon(guildId);
    }
  }

  /** To be called when this process no longer polls these servers: another process may change their data. */
  forgetMemory(isTheirs: (guildId: string) => boolean = () => true) {
    this.deps.restored.forgetMemory();
    for (const [guildId, poller] of this.pollers) {
      if (!isTheirs(guildId)) continue;
      poller.forgetMemory();
      void poller.idle().then(() => this.drop(guildId, poller));
    }
  }

  /** Frees the memory of a server that another process polls. */
  private drop(guildId: string, poller: GuildPoller) {
    const isElsewhere = this.deps.leaseOf(guildId).epoch() === undefined;
    if (isElsewhere && this.pollers.get(guildId) === poller) this.pollers.delete(guildId);
  }

  /**
   * Deletes all data of a server, without a poll in between. The record is deleted last: if the process is killed before, the record
   * shows that the removal has to begin again.
   *
   * @param others deletes the data that alerts and digests do not own
   */
  forget(guildId: string, others: () => Promise<unknown>): Promise<void> {
    const poller = this.pollerOf(guildId);
    return poller.soon(async () => {
      // First turn alerts off in the record, so that nothing is announced from data that is deleted in part.
      await this.deps.guilds.disconnect(guildId, poller.baselineReader.end).catch((error: unknown) => {
        // A record that cannot be read announces nothing, and is deleted as well.
        if (!(error instanceof GuildError)) throw error;
      });
      await this.roster.remove(guildId);
      await this.digests.forget(guildId);
      await poller.clear();
      await others();
      await this.deps.guilds.remove(guildId);
      this.pollers.delete(guildId);
    });
  }

  /** Resolves when no poll runs. */
  async idle(): Promise<void> {
    await Promise.all([...this.pollers.values()].map((poller) => poller.idle()));
  }

  /** Resolves when nothing runs for these servers. */
  async settled(isOne: (guildId: string) => boolean = () => true): Promise<void> {
    await Promise.all([...this.pollers].map(([guildId, poller]) => (isOne(guildId) ? poller.settled() : undefined)));
    await this.digests.settled(isOne);
  }
}
