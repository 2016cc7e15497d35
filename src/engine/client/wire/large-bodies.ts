export const defaultMaxBodyBytes = 32 * 1_024 * 1_024;

/** Smaller bodies fit in memory, even one per socket. */
export const smallBodyBytes = 256 * 1_024;

export interface BodyShare {
  isLarge: boolean;
}

/** Limits large bodies in memory: a process that runs out of memory loses paid answers. */
export function createLargeBodies(most: number) {
  let large = 0;
  const waiting: { readonly share: BodyShare; readonly goOn: () => void }[] = [];
  const kept = new Set<Buffer>();

  const free = () => {
    large -= 1;
    const next = waiting.shift();
    if (!next) return;
    allow(next.share);
    next.goOn();
  };
  const allow = (share: BodyShare) => {
    large += 1;
    share.isLarge = true;
  };

  return {
    /** If this returns false, `goOn` is called as soon as the body may grow. */
    mayGrow(share: BodyShare, goOn: () => void): boolean {
      if (share.isLarge) return true;
      if (large < most) allow(share);
      else waiting.push({ share, goOn });
      return share.isLarge;
    },
    end(share: BodyShare, body?: Buffer) {
      const index = waiting.findIndex((other) => other.share === share);
      if (index !== -1) waiting.splice(index, 1);
      if (!share.isLarge) return;
      if (body && body.length > smallBodyBytes) kept.add(body);
      else free();
    },
    release(body: Buffer) {
      if (kept.delete(body)) free();
    },
  };
}

export type LargeBodies = ReturnType<typeof createLargeBodies>;
