import { type Command, type Executable, execute as executeFor, type Options } from "./discord/define-command.ts";
import type { Services } from "./services.ts";

/** A command of this bot. */
export const defineCommand = (command: Command<Services>): Command<Services> => command;

/** What a command or subcommand takes and does; `run` gets the options with the types that `options` define. */
export const execute = <const O extends Options<Services>>(executable: Executable<Services, O>): Executable<Services> =>
  executeFor<Services, O>(executable);
