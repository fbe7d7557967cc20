/**
 * What `work` comes to, or `late` where that takes longer than `ms`. The work goes on all the same, and its
 * outcome is ignored.
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
