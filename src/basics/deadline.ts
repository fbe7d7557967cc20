/**
 * Resolves to the result of `work`, or to `late` if that takes longer than `ms`. The work goes on, and its result is then
 * ignored.
 */
export async function withDeadline<T, Late>(work: PromiseLike<T> | T, ms: number, late: Late): Promise<T | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>();
  const timer = setTimeout(resolve, ms, late);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
