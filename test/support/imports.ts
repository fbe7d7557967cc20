import type { ApiMessage, Interaction } from "../sandbox/discord/discord.ts";
import { csvRecords } from "./csv-reader.ts";
import type { World } from "./world.ts";

/** The rows of all CSV files that a message brings. */
export async function recordsOf({ attachments }: ApiMessage) {
  const files = await Promise.all(attachments.map(async ({ url }) => (await fetch(url)).arrayBuffer()));
  return files.flatMap((file) => csvRecords(Buffer.from(file).toString()));
}

/** The last answer to a press that creates the products of a file: the one that brings the result. */
export async function importResult({ discord }: World, pressed: Interaction): Promise<ApiMessage> {
  const isResult = ({ body }: { body?: unknown }) => JSON.stringify(body ?? {}).includes("import-result.csv");
  await discord.waitFor(() => pressed.requests.find(isResult), "the result of the import");
  return pressed.settled();
}
