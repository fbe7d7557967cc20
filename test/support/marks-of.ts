/** Custom ids and menu values. */
export const marksOf = (components: unknown): string[] =>
  [...JSON.stringify(components ?? []).matchAll(/"(?:custom_id|value)":("(?:[^"\\]|\\.)*")/g)].map(([, text = '""']) =>
    JSON.parse(text),
  );
