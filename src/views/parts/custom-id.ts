/** Discord's limit on a component's or modal's custom id, in characters. */
const customIdMax = 100;

/** A custom id taken apart. */
export interface ParsedCustomId {
  readonly command: string;
  readonly action: string;
  readonly args: readonly string[];
}

/**
 * `command:action:arg:arg` with every part URI-encoded, or nothing where that is over 100 characters or a part has half a
 * surrogate pair, which no URI can carry.
 */
export function customIdIfFits(command: string, action: string, ...args: readonly string[]): string | undefined {
  const parts = [command, action, ...args];
  if (!parts.every((part) => part.isWellFormed())) return undefined;
  const id = parts.map(encodeURIComponent).join(":");
  return id.length <= customIdMax ? id : undefined;
}

/** As {@link customIdIfFits}, for parts that always fit; throws a `RangeError` where they do not. */
export function customId(command: string, action: string, ...args: readonly string[]): string {
  const id = customIdIfFits(command, action, ...args);
  if (id === undefined) throw new RangeError(`custom id of ${command}:${action} is over ${customIdMax} characters`);
  return id;
}

/** The parts of a custom id made by {@link customId}; nothing for any other string. */
export function parseCustomId(id: string): ParsedCustomId | undefined {
  const [command, action, ...args] = id.split(":");
  if (!command || !action) return undefined;
  try {
    return {
      command: decodeURIComponent(command),
      action: decodeURIComponent(action),
      args: args.map(decodeURIComponent),
    };
  } catch {
    return undefined;
  }
}
