/** An answer that is larger is not taken. */
export const defaultMaxBodyBytes = 32 * 1_024 * 1_024;

/** A body is large above this size. Smaller ones take little memory, even one for each socket. */
export const smallBodyBytes = 256 * 1_024;

/** One body on its way. */
export interface BodyShare {
  /** Whether it has been let in as a large one. */
  isLarge: boolean;
}

/**
 * Lets `most` large bodies in at once, each until it is stored. Others wait in their sockets. Without this limit,
 * many large answers at once exhaust the memory, and the next start pays for all of them again.
 */
export function openLargeBodies(most: number) {
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
    /** Whether a body may become large now; if not, `goOn` is called when it may. */
    mayGrow(share: BodyShare, goOn: () => void): boolean {
      if (share.isLarge) return true;
      if (large < most) allow(share);
      else waiting.push({ share, goOn });
      return share.isLarge;
    },
    /** Ends a body on its way. What is kept of it counts until it is released. */
    end(share: BodyShare, body?: Buffer) {
      const index = waiting.findIndex((other) => other.share === share);
      if (index !== -1) waiting.splice(index, 1);
      if (!share.isLarge) return;
      if (body && body.length > smallBodyBytes) kept.add(body);
      else free();
    },
    /** A body that was kept is stored, or not needed. */
    release(body: Buffer) {
      if (kept.delete(body)) free();
    },
  };
}

export type LargeBodies = ReturnType<typeof openLargeBodies>;
