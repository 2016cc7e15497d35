/** Waits for the end of some work, and no longer than this; how it ends is of no interest. */
export async function atMost(work: PromiseLike<unknown> | undefined, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([Promise.resolve(work).catch(() => {}), promise]);
  clearTimeout(timer);
}
