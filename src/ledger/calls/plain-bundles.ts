/** What was unpacked last, so that answers of a bundle that are read in turn unpack it once. */
export interface PlainBundles {
  get(bundleId: number): Buffer | undefined;
  /** A copy of the bytes, which later ones overwrite when the memory is used up. */
  put(bundleId: number, plain: Buffer): Buffer;
}

/**
 * Keeps bundles in one stretch of memory, each new one over the oldest. As buffers of their own they
 * would be old objects when they are dropped, and tens of megabytes would wait for the collector.
 */
export function openPlainBundles(bytes: number): PlainBundles {
  const kept = new Map<number, { readonly start: number; readonly plain: Buffer }>();
  let memory: Buffer | undefined;
  let next = 0;

  const dropWithin = (from: number, to: number) => {
    for (const [bundleId, { start, plain }] of kept) {
      if (start < to && from < start + plain.length) kept.delete(bundleId);
    }
  };
  return {
    get: (bundleId) => kept.get(bundleId)?.plain,
    put(bundleId, plain) {
      if (plain.length === 0 || plain.length > bytes) return plain;
      memory ??= Buffer.allocUnsafeSlow(bytes);
      const start = next + plain.length > bytes ? 0 : next;
      next = start + plain.length;
      dropWithin(start, next);
      const copy = memory.subarray(start, next);
      plain.copy(copy);
      kept.set(bundleId, { start, plain: copy });
      return copy;
    },
  };
}
