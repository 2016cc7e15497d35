import { openWaitingLine } from '../rate/waiting-line.ts';

/** An answer that is larger is not taken. */
export const defaultMaxBodyBytes = 32 * 1_024 * 1_024;

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
  const held: { readonly share: symbol; readonly bytes: number; readonly goOn: () => void }[] = [];
  /**
   * The one body that may go beyond the limit, when all that is spent belongs to unfinished bodies:
   * otherwise they could wait for each other for ever.
   */
  let first: symbol | undefined;
  const requests = openWaitingLine<void>();

  const hasRoom = () => held.length === 0 && spent < limitBytes;
  const fits = (share: symbol, bytes: number) => {
    if (spent + bytes <= limitBytes) return true;
    if (kept === 0) first ??= share;
    return share === first;
  };
  const goOn = () => {
    for (let next = held[0]; next; next = held[0]) {
      if (!fits(next.share, next.bytes)) return;
      held.shift();
      next.goOn();
    }
    while (requests.length > 0 && hasRoom()) requests.serve();
  };
  const free = (bytes: number) => {
    spent -= bytes;
    if (held.length > 0 || requests.length > 0) goOn();
  };

  return {
    /** Frees bytes of bodies whose share was kept. */
    free(bytes: number) {
      kept -= bytes;
      free(bytes);
    },
    /** Whether another request may leave: not while a body is held back, since its answer would wait, too. */
    hasRoom,
    untilRoom: (signal: AbortSignal) => requests.join(signal),
    /** Opens the share of one body. */
    open() {
      const share = Symbol();
      let own = 0;
      const add = (bytes: number) => {
        own += bytes;
        spent += bytes;
      };
      return {
        /** Counts bytes that have arrived. False where no more should come until `onRoom` calls back. */
        take(bytes: number): boolean {
          add(bytes);
          return fits(share, 0);
        },
        onRoom(goOn: () => void) {
          held.push({ share, bytes: 0, goOn });
        },
        /** Counts bytes before they are needed; undefined where they may be used at once. */
        reserve(bytes: number): Promise<void> | undefined {
          const isNext = held.length === 0 || share === first;
          if (isNext && fits(share, bytes)) return void add(bytes);
          return new Promise((resolve) => {
            const take = () => {
              add(bytes);
              resolve();
            };
            held.push({ share, bytes, goOn: take });
          });
        },
        giveBack(bytes: number) {
          own -= bytes;
          free(bytes);
        },
        /** Ends the share: `keptBytes` stay counted until `free`, the others are free at once. */
        close(keptBytes: number) {
          const index = held.findIndex((other) => other.share === share);
          if (index !== -1) held.splice(index, 1);
          if (first === share) first = undefined;
          kept += keptBytes;
          const rest = own - keptBytes;
          own = 0;
          free(rest);
        },
      };
    },
  };
}

export type BodyBudget = ReturnType<typeof openBodyBudget>;
export type BodyShare = ReturnType<BodyBudget['open']>;
