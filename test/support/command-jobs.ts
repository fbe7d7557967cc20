import type { APIAttachment } from "@discordjs/core";
import type { Caller } from "../../src/discord/commands/caller.ts";
import { type Command, executablesOf, type Job, type ModalPayload } from "../../src/discord/commands/define-command.ts";
import type { Reply } from "../../src/discord/commands/reply.ts";
import type { Services } from "../../src/discord/commands/services.ts";
import { parseCustomId } from "../../src/views/parts/custom-ids.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";

// Jobs of a command, without Discord. Each function throws if the command has no such part.

/** `subcommand`: such as "set" or "route add". */
export function typedJob(command: Command, subcommand: string | undefined, caller: Caller, options: object = {}) {
  const executable = executablesOf(command).get(subcommand ?? "");
  if (executable === undefined) throw new Error(`no ${subcommand ?? command.name}`);
  return executable.job(caller, { ...options });
}

/** The job of a button, or of a menu if a value was chosen. */
export function pressJob(command: Command, customId: string, caller: Caller, value = "") {
  const id = parseCustomId(customId);
  const handle = command.handlers?.[value === "" ? "buttons" : "menus"][id?.action ?? ""];
  if (id === undefined || handle === undefined) throw new Error(`nobody answers ${customId}`);
  return handle({ ...caller, args: id.args, value });
}

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

export function unseenReply(forMs = 100): Reply {
  return {
    show: async () => undefined,
    send: async () => undefined,
    fileBytes: 10 * 1024 ** 2,
    until: performance.now() + forMs,
    ending: new AbortController().signal,
  };
}

export async function messageOf(job: Job, services: Services): Promise<MessagePayload> {
  if (job.answer === "modal") throw new Error("it opens a window");
  const payload = await job.run(services, unseenReply());
  if (payload === undefined) throw new Error("it answers with no message of its own");
  return payload;
}

export function windowOf(job: Job, services: Services): Promise<ModalPayload> {
  if (job.answer !== "modal") throw new Error("it opens no window");
  return job.run(services);
}
