/**
 * What is called off ends at once, and what had left lands all the same.
 *
 * @param error what it ends with; nothing where it is waited for
 */
export function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  error: () => Error | undefined,
): Promise<T> {
  if (signal === undefined) return work;
  const { promise: calledOff, reject } = Promise.withResolvers<never>();
  const end = () => {
    const reason = error();
    if (reason) reject(reason);
  };
  if (signal.aborted) end();
  signal.addEventListener("abort", end);
  calledOff.catch(() => undefined);
  work.catch(() => undefined);
  return Promise.race([calledOff, work]);
}
