import { Stream, uuidOf } from "./randomness.ts";
import { lookAtStorage, putBack, type Scene } from "./scene.ts";
import { after, pause, time } from "./virtual-time.ts";
import { minute, type Trouble } from "./world/record.ts";

// The code of those kinds of events that need more than a few lines (kinds.ts).

export function trouble({ evidence }: Scene, kind: Trouble["kind"], forMs: number, more: Partial<Trouble> = {}): void {
  evidence.troubles.push({ kind, from: time(), to: time() + forMs, ...more });
}

export function kill(scene: Scene, downMs: number, afterPost: number | undefined): void {
  const { lives, discord } = scene;
  const now = () => {
    lives.main?.kill();
    after(downMs, () => lives.start());
  };
  if (afterPost === undefined) {
    now();
    return;
  }
  const before = discord.onPost;
  discord.onPost = () => {
    discord.onPost = before;
    before();
    // The answer to a post takes some milliseconds, so the kill can come before the answer.
    after(afterPost, now);
  };
}

export function restart({ lives }: Scene, downMs: number): void {
  const life = lives.main;
  life?.ask();
  const look = () => {
    if (life !== undefined && !life.isDead) return void after(1_000, look);
    after(downMs, () => lives.start());
  };
  look();
}

/** Kills all processes, puts an earlier copy of the database back, and starts the bot again. */
export function restore(scene: Scene, copiedMsBefore: number): void {
  const { copies, lives } = scene;
  const copy = copies.findLast(({ at }) => at <= time() - copiedMsBefore);
  if (copy === undefined) return;
  lives.killAll();
  putBack(scene, copy.file);
  trouble(scene, "settings", 0, { how: "restored", copiedAt: copy.at });
  after(1_000, () => lives.start());
}

export async function connect(
  { store, people, evidence, seed }: Scene,
  { id, afterMs, orders }: { readonly id: number; readonly afterMs: number; readonly orders?: number },
): Promise<void> {
  const how = orders === undefined ? "new token" : "other store";
  const change: Trouble = { kind: "store", how, from: time(), to: Number.POSITIVE_INFINITY };
  evidence.troubles.push(change);
  store.token = `store_${uuidOf(new Stream(seed, `token ${id}`)).replaceAll("-", "")}`;
  if (orders !== undefined) store.replace(orders);
  await pause(afterMs);
  while (!(await people.connect(() => store.token))) await pause(minute);
  change.to = time();
}

/** A person connects the store, and turns alerts on. */
export async function turnOn({ people, store, evidence: { setup } }: Scene): Promise<void> {
  await people.connect(() => store.token);
  if (setup.privacy !== "none") await people.privacy(setup.privacy);
  await people.letHandle();
  await people.setAlerts("new-orders", setup.statuses);
}

/** A person disconnects the store, and with `forMs` connects it again after this time. */
export async function disconnect(scene: Scene, forMs: number | undefined): Promise<void> {
  if (!(await scene.people.disconnect()) || forMs === undefined) return;
  await pause(forMs);
  lookAtStorage(scene);
  await turnOn(scene);
}

export async function alertsOff({ people, evidence }: Scene, forMs: number): Promise<void> {
  const set = evidence.actions.findLast(({ what, done }) => what.kind === "alerts-set" && done !== undefined)?.what;
  await people.alertsOff();
  await pause(forMs);
  if (set?.kind === "alerts-set") await people.setAlertsAt(set.channelId, set.statuses);
}

export async function ruleAgain({ people, evidence }: Scene, name: string, afterMs: number): Promise<void> {
  const rules = evidence.actions.filter(({ what, done }) => what.kind === "rule" && done !== undefined);
  const made = (rules.findLast(({ what }) => "name" in what && what.name === name) ?? rules.at(-1))?.what;
  if (made?.kind !== "rule" || !(await people.removeRule(made.name))) return;
  await pause(afterMs);
  await people.addRule(made);
}

export interface Press {
  readonly people: number;
  readonly press: string;
  readonly back: number;
  readonly cardOf?: string;
  readonly doneAfterMs?: number;
}

export async function press({ people }: Scene, { people: count, press: button, back, cardOf, doneAfterMs }: Press) {
  if (cardOf !== undefined) return people.pressOnCard(button, back, cardOf === "reply");
  if (doneAfterMs === undefined)
    return Promise.all(["ana", "bruno", "carla"].slice(0, count).map((by) => people.press(button, back, by)));
  const taken = await people.press(button, back, "bruno");
  await pause(doneAfterMs);
  if (taken !== undefined) await people.press("Done", 0, "bruno", taken);
}
