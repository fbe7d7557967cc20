import { beforeEach } from "vitest";
import type { ApiMessage } from "../sandbox/discord/discord.ts";
import { run, type World } from "./world.ts";

/**
 * Commands and presses of a world {@link withManagers}, by another manager in each test of a file: the bot slows one person
 * down after ten requests.
 */
export function inTurns(world: () => World) {
  let acting = 0;
  beforeEach(() => {
    acting += 1;
  });
  const name = () => `manager${acting}`;
  const person = () => world().guild.person(name());
  const press = (message: ApiMessage, label: string, values?: string[]) =>
    world().discord.press(person(), message, label, values ? { values } : {});
  return {
    name,
    person,
    act: (command: string, options: Record<string, string | number> = {}) => run(world(), command, options, name()),
    press,
    pressed: (message: ApiMessage, label: string, values?: string[]) => press(message, label, values).settled(),
  };
}
