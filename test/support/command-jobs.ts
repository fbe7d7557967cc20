import type { APIAttachment } from "discord.js";
import type { Caller } from "../../src/discord/commands/caller.ts";
import { type Command, executablesOf, type Job, type ModalPayload } from "../../src/discord/commands/define-command.ts";
import type { Reply } from "../../src/discord/commands/reply.ts";
import type { Services } from "../../src/discord/commands/services.ts";
import { parseCustomId } from "../../src/views/parts/custom-ids.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";

/** What a command is asked to do where Discord has nothing to do with it. Each throws for what the command does not have. */

/** Typed, with a subcommand ("set", "route add") or without. */
export function typedJob(command: Command, subcommand: string | undefined, caller: Caller, options: object = {}) {
  const executable = executablesOf(command).get(subcommand ?? "");
  if (executable === undefined) throw new Error(`no ${subcommand ?? command.name}`);
  return executable.job(caller, { ...options });
}

/** A button that was pressed, or a menu from which `values` were chosen. */
export function pressJob(command: Command, customId: string, caller: Caller, values: readonly string[] = []) {
  const id = parseCustomId(customId);
  const handle = command.handlers?.[values.length > 0 ? "menus" : "buttons"][id?.action ?? ""];
  if (id === undefined || handle === undefined) throw new Error(`nobody answers ${customId}`);
  return handle({ ...caller, args: id.args, values, value: values[0] });
}

/** A window that was submitted. */
export function submitJob(
  command: Command,
  customId: string,
  caller: Caller,
  fields: Readonly<Record<string, string>>,
  files: Readonly<Record<string, readonly APIAttachment[]>> = {},
) {
  const id = parseCustomId(customId);
  const handle = command.handlers?.windows[id?.action ?? ""];
  if (id === undefined || handle === undefined) throw new Error(`nobody takes ${customId}`);
  return handle({ ...caller, args: id.args, fields, files });
}

/** An answer of which nobody sees anything until it is there, with little time for it. */
export function unseenReply(forMs = 100): Reply {
  return {
    show: async () => undefined,
    send: async () => undefined,
    fileBytes: 10 * 1024 ** 2,
    until: performance.now() + forMs,
    ending: new AbortController().signal,
  };
}

/** The message that answers. */
export async function messageOf(job: Job, services: Services): Promise<MessagePayload> {
  if (job.answer === "modal") throw new Error("it opens a window");
  const payload = await job.run(services, unseenReply());
  if (payload === undefined) throw new Error("it answers with no message of its own");
  return payload;
}

/** The window that opens. */
export function windowOf(job: Job, services: Services): Promise<ModalPayload> {
  if (job.answer !== "modal") throw new Error("it opens no window");
  return job.run(services);
}
