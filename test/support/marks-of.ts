/** The custom ids and menu values in a message's components. */
export const marksOf = (components: unknown): string[] =>
  [...JSON.stringify(components ?? []).matchAll(/"(?:custom_id|value)":("(?:[^"\\]|\\.)*")/g)].map(([, text = '""']) =>
    JSON.parse(text),
  );
