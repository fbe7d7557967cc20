import { afterAll, beforeAll, beforeEach } from "vitest";
import type { ApiMessage, Interaction } from "../../sandbox/discord/discord.ts";
import { type Bot, connectStore, createWorld, run, type World, withManagers } from "./world.ts";

type Options = Parameters<typeof run>[2];

export interface Scene extends World {
  readonly bot: Bot;
  name(): string;
  person(): string;
  act(command: string, options?: Options): Interaction;
  press(message: ApiMessage, label: string, values?: string[]): Interaction;
  pressed(message: ApiMessage, label: string, values?: string[]): Promise<ApiMessage>;
}

/**
 * Makes a world for all tests of a file, and starts a bot. In each test another manager acts, because the bot slows down a
 * person who does much in a few seconds. `managers`: number of managers; without it the owner acts.
 * `prepare` is called before the bot starts.
 */
export function useBot(
  { managers = 0, isConnected = true }: { readonly managers?: number; readonly isConnected?: boolean } = {},
  prepare: (scene: Scene) => unknown = () => undefined,
): Scene {
  let turn = 0;
  const name = () => (managers > 0 ? `manager${turn % managers}` : "owner");
  const person = () => scene.guild.person(name());
  const press = (message: ApiMessage, label: string, values?: string[]) =>
    scene.discord.press(person(), message, label, values ? { values } : {});
  const scene = {
    name,
    person,
    press,
    act: (command, options) => run(scene, command, options, name()),
    pressed: (message, label, values) => press(message, label, values).settled(),
  } as Scene;
  let world: World | undefined;
  beforeAll(async () => {
    world = await createWorld();
    const { start: launch } = world;
    async function start(environment?: Parameters<World["start"]>[0]) {
      const bot = await launch(environment);
      return Object.assign(scene, { bot }).bot;
    }
    Object.assign(scene, managers > 0 ? withManagers(world, managers) : world, { start });
    await prepare(scene);
    await start();
    if (isConnected) await connectStore(scene);
  });
  afterAll(() => world?.[Symbol.asyncDispose]());
  beforeEach(() => {
    turn += 1;
  });
  return scene;
}
