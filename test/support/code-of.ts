export const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "it succeeded",
    (error: { code?: unknown }) => error.code,
  );

export const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
