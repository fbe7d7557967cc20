/** Returns the code of the error with which a call fails. */
export const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "it succeeded",
    (error: { code?: unknown }) => error.code,
  );

/** The error with which a call fails; undefined if it succeeds. */
export const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
