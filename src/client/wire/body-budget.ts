import { openWaitingLine } from '../rate/waiting-line.ts';

/** An answer that is larger is not taken. */
export const defaultMaxBodyBytes = 32 * 1_024 * 1_024;

/** The bytes of one body that count in the budget. */
export interface BodyShare {
  bytes: number;
}

/**
 * The bytes that all bodies of a client may take together, from their first byte until they are
 * stored. Bytes beyond the limit wait in their sockets. Without it, many large answers at once exhaust the
 * memory, and the next start pays for all of them again.
 */
export function openBodyBudget(limitBytes: number) {
  let spent = 0;
  /** The part of `spent` that waits to be stored. It becomes free without any other body. */
  let kept = 0;
  /** Bodies that wait, and the bytes that each needs before it can go on. */
  const held: { readonly share: BodyShare; readonly bytes: number; readonly goOn: () => void }[] =
    [];
  /**
   * The one body that may go beyond the limit, when all that is spent belongs to unfinished bodies:
   * otherwise they could wait for each other for ever.
   */
  let first: BodyShare | undefined;
  const requests = openWaitingLine<void>();

  const hasRoom = () => held.length === 0 && spent < limitBytes;
  const fits = (share: BodyShare, bytes: number) => {
    if (spent + bytes <= limitBytes) return true;
    if (kept === 0) first ??= share;
    return share === first;
  };
  const add = (share: BodyShare, bytes: number) => {
    share.bytes += bytes;
    spent += bytes;
  };
  const free = (bytes: number) => {
    spent -= bytes;
    for (let next = held[0]; next; next = held[0]) {
      if (!fits(next.share, next.bytes)) return;
      held.shift();
      next.goOn();
    }
    while (requests.length > 0 && hasRoom()) requests.serve();
  };

  return {
    /** Frees bytes of bodies that were kept. */
    free(bytes: number) {
      kept -= bytes;
      free(bytes);
    },
    /** Whether another request may leave: not while a body is held back, since its answer would wait, too. */
    hasRoom,
    untilRoom: (signal: AbortSignal) => requests.join(signal),
    /** Counts bytes that have arrived. False where no more should come until `onRoom` calls back. */
    take(share: BodyShare, bytes: number): boolean {
      add(share, bytes);
      return fits(share, 0);
    },
    onRoom(share: BodyShare, goOn: () => void) {
      held.push({ share, bytes: 0, goOn });
    },
    /** Counts bytes before they are needed; undefined where they may be used at once. */
    reserve(share: BodyShare, bytes: number): Promise<void> | undefined {
      const isNext = held.length === 0 || share === first;
      if (isNext && fits(share, bytes)) return void add(share, bytes);
      return new Promise((resolve) => {
        const goOn = () => {
          add(share, bytes);
          resolve();
        };
        held.push({ share, bytes, goOn });
      });
    },
    giveBack(share: BodyShare, bytes: number) {
      share.bytes -= bytes;
      free(bytes);
    },
    /** Ends a body: `keptBytes` stay counted until `free`, the others are free at once. */
    close(share: BodyShare, keptBytes: number) {
      const index = held.findIndex((other) => other.share === share);
      if (index !== -1) held.splice(index, 1);
      if (first === share) first = undefined;
      kept += keptBytes;
      free(share.bytes - keptBytes);
    },
  };
}

export type BodyBudget = ReturnType<typeof openBodyBudget>;
