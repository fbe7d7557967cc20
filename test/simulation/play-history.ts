import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { doubled } from "./checkers/alerted.ts";
import { checkers } from "./checkers/all.ts";
import { isJudged } from "./checkers/settings.ts";
import { msToShow } from "./checkers/statuses.ts";
import { waitLeft } from "./checkers/waits.ts";
import { turnOn } from "./events.ts";
import { happen } from "./happen.ts";
import type { History } from "./history.ts";
import { resetRandomness, Stream } from "./randomness.ts";
import { createScene, lookAtStorage, type Scene } from "./scene.ts";
import { after, events, pause, realTurns, resetTime, runUntil, time } from "./virtual-time.ts";
import { type Evidence, type Finding, hour, minute } from "./world/record.ts";

export interface Outcome {
  readonly findings: readonly Finding[];
  /** False if the settings in force are unknown, because commands had no answer. In this case nothing is checked. */
  readonly isJudged: boolean;
  /** Hash of all requests, writes and log lines in their sequence. */
  readonly trace: string;
  readonly events: number;
  readonly hours: number;
  readonly orders: number;
  readonly lives: number;
  /** Number of orders with two alerts, if Discord enforced no nonces. Without nonces no bot can prevent this. */
  readonly doubledWithoutNonces: number;
}

const ramDisk = "/dev/shm";
/** The trace is hashed in pieces of about this many characters. */
const hashedAtOnce = 64 * 1_024;
const backAfterMs = 1_000;
const setUpMs = 5 * minute;
/** Time for one of 25 orders in an alert. A channel takes 5 messages in 5 s, so 1.2 s for a message is enough. */
const msForOrder = 1_200 / 25;
/** If it takes too long until the alerts show everything, a history ends after this many polls. */
const fewPolls = 3;
const mostPolls = 250;
const mostMs = 15 * hour;
/** Longer than any person waits for an answer. */
const answeredMs = 40_000;

/** Fills the store, starts the bot, and waits until a person has set the bot up. */
async function setUp({ setup, seed }: History, scene: Scene): Promise<void> {
  const { store, lives, evidence } = scene;
  const ages = new Stream(seed, "ages");
  for (const [status, count] of Object.entries(setup.store.waiting)) {
    for (let index = 0; index < count; index++)
      store.place(status, { category: index % 3, ageMs: ages.between(1, 20 * 24 * 60) * minute });
  }
  lives.start();
  // Node loads some imports only now, in real time.
  await realTurns(20);
  let isDone = false;
  const done = (async () => {
    await pause(10_000);
    await turnOn(scene);
  })().finally(() => {
    isDone = true;
  });
  while (!isDone && time() < setUpMs) await runUntil(time() + 100);
  await done;
  const isSet = evidence.actions.some(({ what, done: at }) => what.kind === "alerts-set" && at !== undefined);
  if (!isSet) throw new Error(`the alerts could not be turned on: ${JSON.stringify(evidence.actions)}`);
}

/** Ends all faults. From now on the bot has to recover by itself. `settle` waits for commands that people repeat. */
async function calm({ store, discord, disk, lives, evidence }: Scene, settle: () => Promise<void>): Promise<void> {
  for (const faults of [store.faults, discord.faults, disk.faults]) faults.end();
  store.refusesUntil = 0;
  for (const name of discord.guild.channels.map((channel) => channel.name)) discord.open(discord.channel(name));
  if (lives.main === undefined) lives.start();
  for (const life of lives.all) life.stoppedUntil = Math.min(life.stoppedUntil, time());
  await settle();
  for (const trouble of evidence.troubles) {
    // A wrong clock stays wrong until its planned end, because a correction now would be one more change of the clock.
    if (trouble.kind !== "process" && trouble.kind !== "clock") trouble.to = Math.min(trouble.to, time());
  }
  evidence.calmFrom = time();
  // `msToShow` caches its result for each evidence object. The evidence is not complete yet, so this call gets a copy.
  const shownMs = msToShow({ ...evidence, endsAt: time() });
  const { pollMs } = evidence.setup;
  const pollsMs = shownMs > Math.min(mostPolls * pollMs, mostMs) ? fewPolls * pollMs : shownMs;
  evidence.endsAt = time() + waitLeft(evidence) + pollsMs + evidence.orders.size * msForOrder + minute;
}

/** Asks for a status, up to three times if there is no answer. */
async function ask({ people }: Scene, command: string): Promise<Evidence["status"]> {
  let said: Evidence["status"];
  for (let tries = 0; tries < 3 && said === undefined; tries++) {
    const at = time();
    const asked = people.ask(command).then(
      (text) => {
        said = { at, text };
      },
      () => undefined,
    );
    await runUntil(time() + answeredMs);
    await asked;
  }
  return said;
}

export interface PlayOptions {
  /** The main process is killed before this event (counted from 1), and starts again a second later. */
  readonly killAt?: number;
  readonly onLine?: (line: string) => void;
  /** Called before each event. */
  readonly onEvent?: (count: number, at: number) => void;
}

/** Plays a history to its end, and checks it. */
export async function play(history: History, options: PlayOptions = {}): Promise<Outcome> {
  const directory = mkdtempSync(join(existsSync(ramDisk) ? ramDisk : tmpdir(), `shopbell-simulation-${process.pid}-`));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  // Removes the directory even if somebody stops the simulation.
  process.once("exit", remove);
  const hash = createHash("sha256");
  let unhashed = "";
  const write = (line: string) => {
    unhashed += `${line}\n`;
    if (unhashed.length > hashedAtOnce) {
      hash.update(unhashed);
      unhashed = "";
    }
    options.onLine?.(line);
  };
  let scene: Scene | undefined;
  resetTime(history.setup.startsAt, (count) => {
    options.onEvent?.(count, time());
    if (count !== options.killAt) return;
    scene?.lives.main?.kill();
    after(backAfterMs, () => scene?.lives.start());
  });
  resetRandomness(history.seed);
  try {
    scene = createScene(history.seed, history.setup, directory, write);
    const { evidence, lives } = scene;
    await setUp(history, scene);
    const begunAt = time();
    const actions = happen(scene, history.happenings, begunAt);
    await runUntil(begunAt + history.setup.hours * 60 * minute);
    await actions.settle();
    await calm(scene, actions.settle);
    await runUntil(evidence.endsAt);
    evidence.status = await ask(scene, "alerts status");
    evidence.storeStatus = await ask(scene, "store status");
    lives.over();
    lookAtStorage(scene);
    evidence.refusals.push(...scene.discord.refusals.map(({ method, path, reason }) => `${method} ${path}: ${reason}`));
    const isKnown = isJudged(evidence);
    const findings = isKnown ? checkers.flatMap((check) => check(evidence)) : [];
    return {
      findings,
      isJudged: isKnown,
      trace: hash.update(unhashed).digest("hex"),
      events: events(),
      hours: time() / (60 * minute),
      orders: evidence.orders.size,
      lives: lives.all.length,
      doubledWithoutNonces: history.setup.discord.nonces ? 0 : doubled(evidence),
    };
  } finally {
    scene?.lives.over();
    remove();
    process.off("exit", remove);
  }
}
