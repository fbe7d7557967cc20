import type { Interaction } from "../../sandbox/discord/interactions.ts";
import type { ApiMessage } from "../../sandbox/discord/model.ts";
import { buttonsOf, customIdsOf, textOf } from "../../sandbox/discord/read-message.ts";
import type { OptionValue } from "../../sandbox/discord/typed-command.ts";
import { pause, time } from "../virtual-time.ts";
import { channelNames, type SimulatedDiscord } from "./discord.ts";
import type { Action, Evidence } from "./record.ts";

/** How long a person waits for an answer, how long until the next try, and the number of tries. */
const answerWithinMs = 30_000;
const againMs = 60_000;
const mostTries = 15;

/** Whether an answer reports a problem. Such an answer has a reference to the log, unless it only asks a person to wait. */
const isProblem = (text: string) => /Reference:|The bot got too many requests/.test(text);
const succeeded = (text: string) =>
  (/^(?:### )?(?:✅|⚠️)/.test(text) || text.includes("Your store is connected")) && !isProblem(text);

/** Answers that refuse a command with a reason. To try again would change nothing. */
export const refusals: RegExp =
  /There is (?:already a|no) rule with that name|Alerts are off in this server|No store is connected/;

/** The answers to a person who repeats a command, because the first answer was lost. */
const doneBefore: Readonly<Partial<Record<Action["what"]["kind"], string>>> = {
  disconnect: "No store is connected",
  "alerts-off": "Alerts are off in this server",
};

/** The commands and presses of people. Each is recorded in the evidence, with its answer. */
export class People {
  private readonly discord: SimulatedDiscord;
  private readonly evidence: Evidence;

  constructor(discord: SimulatedDiscord, evidence: Evidence) {
    this.discord = discord;
    this.evidence = evidence;
  }

  private command(name: string, options: Readonly<Record<string, OptionValue>>, by = "owner"): Interaction {
    const [command = "", ...subcommand] = name.split(" ");
    const { guild } = this.discord;
    return this.discord.by.command(guild.person(by), {
      guildId: guild.id,
      channelId: guild.channel("staff"),
      name: command,
      ...(subcommand.length > 0 ? { subcommand: subcommand.join(" ") } : {}),
      options,
    });
  }

  private confirmed(message: ApiMessage): Promise<ApiMessage> {
    if (!buttonsOf(message).some(({ label }) => label === "Confirm")) return Promise.resolve(message);
    return this.discord.by.press(this.discord.guild.person("owner"), message, "Confirm").settled(answerWithinMs);
  }

  private async once(what: Action["what"], act: () => Promise<ApiMessage>): Promise<Action> {
    const action: Action = { asked: time(), done: undefined, failed: false, what };
    this.evidence.actions.push(action);
    try {
      action.answer = textOf(await this.confirmed(await act()));
      // The answer to a press on a button is the changed message.
      const before = doneBefore[what.kind];
      const isDone = before !== undefined && action.answer.includes(before);
      if (what.kind === "press" || isDone || succeeded(action.answer)) action.done = time();
      else action.failed = isProblem(action.answer) && !/try again|Try again/.test(action.answer);
    } catch (error) {
      // It is unknown whether the command took effect. A command that was never sent has failed.
      action.answer = String(error);
      action.failed = /no command|no channel/.test(action.answer);
    }
    return action;
  }

  /** Tries until the command succeeds or is refused. Returns whether it succeeded. */
  private async insist(what: Action["what"], act: () => Promise<ApiMessage>): Promise<boolean> {
    for (let tries = 0; tries < mostTries; tries++) {
      const { done, answer = "" } = await this.once(what, act);
      if (done !== undefined) return true;
      if (refusals.test(answer)) return false;
      await pause(againMs);
    }
    return false;
  }

  private run(
    what: Action["what"],
    name: string,
    options: Readonly<Record<string, OptionValue>> = {},
  ): Promise<boolean> {
    return this.insist(what, () => this.command(name, options).settled(answerWithinMs));
  }

  /** Connects the store. `tokenOf` returns the store's present token. */
  connect(tokenOf: () => string): Promise<boolean> {
    return this.insist({ kind: "connect" }, async () => {
      const opener = this.command("store connect", {});
      await opener.answer(answerWithinMs);
      const token = tokenOf();
      return this.discord.by.submit(this.discord.guild.person("owner"), opener, { token }).settled(answerWithinMs);
    });
  }

  disconnect(): Promise<boolean> {
    return this.run({ kind: "disconnect" }, "store disconnect");
  }

  setAlerts(channelName: string, statuses: readonly string[] | undefined): Promise<boolean> {
    return this.setAlertsAt(this.discord.channel(channelName), statuses);
  }

  setAlertsAt(channelId: string, statuses: readonly string[] | undefined): Promise<boolean> {
    const chosen: Record<string, OptionValue> = statuses === undefined ? {} : { statuses: statuses.join(",") };
    const role = this.discord.guild.role("Staff");
    const what = { kind: "alerts-set", channelId, statuses, role } as const;
    return this.run(what, "alerts set", { channel: channelId, role, ...chosen });
  }

  alertsOff(): Promise<boolean> {
    return this.run({ kind: "alerts-off" }, "alerts off");
  }

  privacy(privacy: "none" | "masked" | "full"): Promise<boolean> {
    return this.run({ kind: "privacy", privacy }, "store settings", { privacy });
  }

  /** Lets everybody press the buttons of orders. */
  letHandle(): Promise<boolean> {
    return this.run({ kind: "staff" }, "store settings", { staff: this.discord.guild.role("Packers") });
  }

  addRule(rule: Extract<Action["what"], { kind: "rule" }>): Promise<boolean> {
    const { kind: _, channelId, from, to, product, ...rest } = rule;
    const amounts = {
      ...(from === undefined ? {} : { from: String(from) }),
      ...(to === undefined ? {} : { to: String(to) }),
      ...(product === undefined ? {} : { product: product.title }),
    };
    const chosen = Object.entries(rest).filter(([, value]) => value !== undefined) as [string, OptionValue][];
    return this.run(rule, "alerts route add", { channel: channelId, ...Object.fromEntries(chosen), ...amounts });
  }

  removeRule(name: string): Promise<boolean> {
    return this.run({ kind: "rule-gone", name }, "alerts route remove", { name });
  }

  moveFirst(name: string): Promise<boolean> {
    return this.run({ kind: "rule-first", name }, "alerts route move", { name, position: 1 });
  }

  remind(minutes: number, quiet: string | undefined): Promise<boolean> {
    const what = { kind: "remind", afterMs: minutes * 60_000, quiet } as const;
    return this.run(what, "alerts remind", { after: `${minutes}m`, ...(quiet === undefined ? {} : { quiet }) });
  }

  digest(what: Extract<Action["what"], { kind: "digest" }>): Promise<boolean> {
    const { hour, timezone, channelId } = what;
    return this.run(what, "digest set", { channel: channelId, every: "day", hour, timezone });
  }

  /** Sends a command that changes nothing. Returns its answer. */
  async ask(name: string): Promise<string> {
    return textOf(await this.command(name, {}).settled(answerWithinMs));
  }

  /**
   * Returns a present message that fits, and its first order. `back` counts these messages from the newest one backwards.
   */
  private messageAt(back: number, fits: (message: ApiMessage) => boolean) {
    const present = channelNames.flatMap((name) => this.discord.messages(this.discord.channel(name)));
    const byId = new Map(present.map((message) => [message.id, message]));
    const messages = this.evidence.messages.flatMap(({ id, versions }) => {
      const [order] = versions.at(-1)?.orders ?? [];
      const message = byId.get(id);
      return message !== undefined && order !== undefined && fits(message) ? [{ message, order }] : [];
    });
    return messages.at(-1 - (back % Math.max(messages.length, 1)));
  }

  /**
   * Presses a button of an alert, and returns the alert's id. `back` counts the alerts with this button from the newest one
   * backwards. `on`: only the alert with this id.
   */
  async press(label: string, back: number, by: string, on?: string): Promise<string | undefined> {
    const found = this.messageAt(
      back,
      (one) => (on ?? one.id) === one.id && buttonsOf(one).some((button) => button.label === label),
    );
    if (found === undefined) return undefined;
    const { message, order } = found;
    const person = this.discord.guild.person(by);
    const isManager = by === "ana";
    await this.once({ kind: "press", press: label, order, by: person, isManager }, async () => {
      const pressed = this.discord.by.press(person, message, label);
      return pressed.settled(answerWithinMs).catch((error: unknown) => {
        // If the alert is right already, the person gets only a private answer.
        const [told] = pressed.followups();
        if (told === undefined) throw error;
        return told;
      });
    });
    return message.id;
  }

  /** Opens the private card of an order from a message. Returns undefined if there is no answer. */
  private async card(person: string, message: ApiMessage, order: string): Promise<ApiMessage | undefined> {
    const [menu = ""] = customIdsOf(message);
    const isOfOne = buttonsOf(message).length > 0;
    try {
      const opener = isOfOne
        ? this.discord.by.press(person, message, "Open")
        : this.discord.by.press(person, message, menu, { values: [order] });
      return await opener.settled(answerWithinMs);
    } catch {
      return undefined;
    }
  }

  /**
   * Opens the card of an order from an alert or from a reply to one, and presses a button of the card if it has this button.
   * `back` counts these messages from the newest one backwards.
   */
  async pressOnCard(label: string, back: number, isReply: boolean): Promise<void> {
    const found = this.messageAt(
      back,
      (one) => (one.message_reference !== undefined) === isReply && customIdsOf(one).length > 0,
    );
    if (found === undefined) return;
    const { message, order } = found;
    const person = this.discord.guild.person("ana");
    const card = await this.card(person, message, order);
    if (card === undefined || !buttonsOf(card).some((button) => button.label === label)) return;
    await this.once({ kind: "press", press: label, order, by: person, isManager: true, isOnCard: true }, () =>
      this.discord.by.press(person, card, label).settled(answerWithinMs),
    );
  }
}
