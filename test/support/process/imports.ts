import type { ApiMessage, Interaction } from "../../sandbox/discord/discord.ts";
import { csvRecords } from "../csv-reader.ts";
import type { World } from "./world.ts";

export async function recordsOf({ attachments }: ApiMessage) {
  const files = await Promise.all(attachments.map(async ({ url }) => (await fetch(url)).arrayBuffer()));
  return files.flatMap((file) => csvRecords(Buffer.from(file).toString()));
}

/** Resolves to the answer with the result of an import, after a press on Create. */
export async function importResult({ discord }: World, pressed: Interaction): Promise<ApiMessage> {
  const isResult = ({ body }: { body?: unknown }) => JSON.stringify(body ?? {}).includes("import-result.csv");
  await discord.waitFor(() => pressed.requests.find(isResult), "the result of the import");
  return pressed.settled();
}
