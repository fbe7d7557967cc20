import { z } from "zod";

/** The pattern is strict, because ids become parts of URLs and mentions. */
export const discordIdSchema = z.string().regex(/^\d{1,20}$/);

export const isDiscordId = (text: string): boolean => discordIdSchema.safeParse(text).success;
