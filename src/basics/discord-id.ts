import { z } from "zod";

/** A person in a server. */
export interface Member {
  readonly guildId: string;
  readonly userId: string;
}

/** The pattern is strict, because ids become parts of URLs and mentions. */
export const discordIdSchema = z.string().regex(/^\d{1,20}$/);

export const isDiscordId = (text: string): boolean => discordIdSchema.safeParse(text).success;
