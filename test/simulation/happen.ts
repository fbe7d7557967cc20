import { categories } from "../sandbox/store/catalog.ts";
import type { Happening } from "./history.ts";
import { Stream, uuidOf } from "./randomness.ts";
import { copyKept, putBack, type Scene } from "./scene.ts";
import { after, pause, runUntil, setWallOffset, time } from "./virtual-time.ts";
import type { Trouble } from "./world/record.ts";
import { firstToken } from "./world/store.ts";

type Of<Kind extends Happening["kind"]> = Extract<Happening, { kind: Kind }>;

/** What people have begun is waited for so long. */
const settleMs = 20 * 60_000;
const copyEveryMs = 10 * 60_000;
const mostCopies = 40;

function trouble({ evidence }: Scene, kind: Trouble["kind"], forMs: number, more: Partial<Trouble> = {}): Trouble {
  const made: Trouble = { kind, from: time(), to: time() + forMs, ...more };
  evidence.troubles.push(made);
  return made;
}

function orders({ store }: Scene, { count, status, steps, product, category }: Of<"orders">): void {
  for (let index = 0; index < count; index++) {
    const { id } = store.place(status, { category, product });
    let passed = 0;
    for (const { afterMs, to } of steps) {
      passed += afterMs;
      after(passed, () => store.move(id, to));
    }
  }
}

function kill(scene: Scene, { afterPost, downMs }: Of<"kill">): void {
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
    // Between the post and its answer lies a way of some milliseconds.
    after(afterPost, now);
  };
}

function restart({ lives }: Scene, { downMs }: Of<"restart">): void {
  const life = lives.main;
  life?.ask();
  const look = () => {
    if (life !== undefined && !life.isDead) return void after(1_000, look);
    after(downMs, () => lives.start());
  };
  look();
}

function channel(scene: Scene, { channel: name, how, forMs }: Of<"channel">): void {
  const { discord } = scene;
  const id = discord.channel(name);
  trouble(scene, "channel", forMs, { how, channelId: id });
  discord.close(id, how);
  after(forMs, () => discord.open(id));
}

function clock(scene: Scene, { byMs, forMs }: Of<"clock">): void {
  trouble(scene, "clock", forMs);
  setWallOffset(byMs);
  after(forMs, () => setWallOffset(0));
}

function token(scene: Scene, { forMs, id }: Of<"token">): void {
  const { store } = scene;
  trouble(scene, "store", forMs, { how: "token-refused" });
  store.token = `store_${uuidOf(new Stream(scene.seed, `token ${id}`)).replaceAll("-", "")}`;
  after(forMs, () => {
    store.token = firstToken;
  });
}

/** The machine comes back with what was kept a while ago. */
function restore(scene: Scene, { copiedMsBefore }: Of<"restore">): void {
  const { copies, lives } = scene;
  const copy = copies.findLast(({ at }) => at <= time() - copiedMsBefore);
  if (copy === undefined) return;
  lives.killAll();
  putBack(scene, copy.file);
  trouble(scene, "settings", 0, { how: "restored" });
  after(1_000, () => lives.start());
}

async function alertsOff({ people, evidence }: Scene, { forMs }: Of<"alerts-off">): Promise<void> {
  const set = evidence.deeds.findLast(({ what, done }) => what.kind === "alerts-set" && done !== undefined)?.what;
  await people.alertsOff();
  await pause(forMs);
  if (set?.kind === "alerts-set") await people.setAlertsAt(set.channelId, set.statuses);
}

async function rule({ people, discord }: Scene, { name, channel: where, style, when }: Of<"rule">): Promise<void> {
  const { category, ...rest } = when;
  const id = category === undefined ? undefined : categories[category]?.id;
  await people.addRule({ kind: "rule", name, channelId: discord.channel(where), style, ...rest, category: id });
}

async function ruleAgain({ people, evidence }: Scene, { name, afterMs }: Of<"rule-again">): Promise<void> {
  const rules = evidence.deeds.filter(({ what, done }) => what.kind === "rule" && done !== undefined);
  const made = (rules.findLast(({ what }) => "name" in what && what.name === name) ?? rules.at(-1))?.what;
  if (made?.kind !== "rule") return;
  if (!(await people.removeRule(made.name))) return;
  await pause(afterMs);
  await people.addRule(made);
}

async function press({ people }: Scene, { people: count, press: label, back }: Of<"press">): Promise<void> {
  const who = ["ana", "bruno", "carla"].slice(0, count);
  await Promise.all(who.map((by) => people.press(label, back, by)));
}

/** What people do; the others below need no answer. */
function begin(scene: Scene, happening: Happening): Promise<unknown> | undefined {
  const { people, store, discord, disk, lives } = scene;
  switch (happening.kind) {
    case "alerts-off":
      return alertsOff(scene, happening);
    case "alerts-set":
      return people.setAlerts(happening.channel, happening.statuses);
    case "rule":
      return rule(scene, happening);
    case "rule-again":
      return ruleAgain(scene, happening);
    case "rule-gone":
      return people.removeRule(happening.name);
    case "rule-first":
      return people.moveFirst(happening.name);
    case "privacy":
      return people.privacy(happening.privacy);
    case "remind":
      return people.remind(happening.minutes, happening.quiet);
    case "digest":
      return people.digest(happening.hour, happening.timezone, "staff");
    case "press":
      return press(scene, happening);
    case "second-process":
      trouble(scene, "second", happening.forMs);
      return lives.startMore(happening.count ?? 1, happening.forMs);
    case "orders":
      return void orders(scene, happening);
    case "waiting-move": {
      const waiting = [...scene.evidence.orders.values()].filter(
        ({ placedAt, statuses }) => placedAt === 0 && statuses.at(-1)?.status === "PENDING",
      );
      for (const { id } of waiting.slice(0, happening.count)) store.move(id, happening.to);
      return undefined;
    }
    case "discord-fault":
      trouble(scene, "discord", happening.forMs, { how: happening.how });
      return void discord.faults.begin(happening);
    case "store-fault":
      trouble(scene, "store", happening.forMs, { how: happening.how });
      return void store.faults.begin(happening);
    case "disk-fault":
      trouble(scene, "disk", happening.forMs);
      return void disk.faults.begin(happening);
    case "kill":
      return void kill(scene, happening);
    case "restart":
      return void restart(scene, happening);
    case "stop": {
      const life = (happening.isSpare ? lives.spare : undefined) ?? lives.main;
      if (life === undefined) return undefined;
      trouble(scene, "process", happening.forMs, { how: "stopped" });
      life.stoppedUntil = time() + happening.forMs;
      return undefined;
    }
    case "channel":
      return void channel(scene, happening);
    case "clock":
      return void clock(scene, happening);
    case "store-changes":
      trouble(scene, "store", 0, { how: "lists changed" });
      return void store.changeLists(happening.ordering, happening.honoursStatus);
    case "token":
      return void token(scene, happening);
    case "restore":
      return void restore(scene, happening);
  }
}

/** Has everything of the history happen in its time. `settle`: until what people began is over. */
export function happen(scene: Scene, begunAt: number): { settle(): Promise<void> } {
  const { history, trace } = scene;
  const underWay = new Set<Promise<unknown>>();
  const restores = history.happenings.some(({ kind }) => kind === "restore");
  const copy = () => {
    if (scene.copies.length < mostCopies) copyKept(scene);
    after(copyEveryMs, copy);
  };
  if (restores) copy();
  for (const happening of history.happenings) {
    after(begunAt + happening.at - time(), () => {
      const { at: _, ...what } = happening;
      trace(`happens ${JSON.stringify(what)}`);
      const deed = begin(scene, happening);
      if (deed === undefined) return;
      const known = deed.finally(() => underWay.delete(known));
      underWay.add(known);
    });
  }
  return {
    async settle() {
      const until = time() + settleMs;
      while (underWay.size > 0 && time() < until) await runUntil(time() + 10_000);
    },
  };
}
