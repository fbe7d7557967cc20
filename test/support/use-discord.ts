import { type PretendDiscord, type PretendDiscordOptions, startDiscord } from "../sandbox/discord/discord.ts";
import { useFixture } from "./use-fixture.ts";

export const useDiscord = (options?: PretendDiscordOptions): PretendDiscord =>
  useFixture(
    () => startDiscord(options),
    (discord) => discord.close(),
  );
