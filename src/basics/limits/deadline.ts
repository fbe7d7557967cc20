/** Resolves to `late` if the work takes longer than `ms`. Late work goes on, but its result or error is ignored. */
export async function withDeadline<T, Late>(work: PromiseLike<T> | T, ms: number, late: Late): Promise<T | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>();
  const timer = setTimeout(resolve, ms, late);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
