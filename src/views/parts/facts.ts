/** Names and values, a line of markdown each. */
export const facts = (lines: readonly (readonly [name: string, value: string])[]) =>
  lines.map(([name, value]) => `**${name}:** ${value}`).join("\n");
