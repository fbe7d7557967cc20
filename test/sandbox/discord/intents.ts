/** Gateway intents by name (docs: Gateway, "List of Intents"). */
export const INTENT = { guilds: 1 << 0, guildMessages: 1 << 9, directMessages: 1 << 12 } as const;

/** Every intent that there is. */
export const KNOWN_INTENTS = 0x1ffff | (3 << 20) | (3 << 24);

/** Server Members, Presence, Message Content: this application was granted none of them. */
export const PRIVILEGED_INTENTS = (1 << 1) | (1 << 8) | (1 << 15);
