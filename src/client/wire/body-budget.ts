import { openWaitingLine } from '../rate/waiting-line.ts';

/** An answer that is larger is not taken. */
export const defaultMaxBodyBytes = 32 * 1_024 * 1_024;
/** Three of the largest bodies, or sixteen thousand of the usual size. */
export const defaultMaxHeldBytes = 3 * defaultMaxBodyBytes;

/**
 * The bytes that all bodies of a client may take together, from their first byte until they are
 * stored. Bytes beyond the limit wait in their sockets. Without it, many large answers at once exhaust the
 * memory, and the next start pays for all of them again.
 */
export interface BodyBudget {
  /** Opens the share of one body. */
  open(): BodyShare;
  /** Frees bytes of bodies whose share was kept. */
  free(bytes: number): void;
  /** Whether another request may leave: not while a body is held back, since its answer would wait, too. */
  hasRoom(): boolean;
  untilRoom(signal: AbortSignal): Promise<void>;
}

export interface BodyShare {
  /** Counts bytes that have arrived. False where no more should come until `onRoom` calls back. */
  take(bytes: number): boolean;
  onRoom(goOn: () => void): void;
  /** Counts bytes before they are needed; undefined where they may be used at once. */
  reserve(bytes: number): Promise<void> | undefined;
  giveBack(bytes: number): void;
  /** Ends the share: `keptBytes` stay counted until `free`, the others are free at once. */
  close(keptBytes: number): void;
}

interface Held {
  readonly share: BodyShare;
  /** Bytes that the body needs before it can go on. */
  readonly bytes: number;
  readonly goOn: () => void;
}

export function openBodyBudget(limitBytes: number): BodyBudget {
  let spent = 0;
  /** The part of `spent` that waits to be stored. It becomes free without any other body. */
  let kept = 0;
  const held: Held[] = [];
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
    free(bytes) {
      kept -= bytes;
      free(bytes);
    },
    hasRoom,
    untilRoom: (signal) => requests.join(signal),
    open() {
      let own = 0;
      const add = (bytes: number) => {
        own += bytes;
        spent += bytes;
      };
      const share: BodyShare = {
        take(bytes) {
          add(bytes);
          return fits(share, 0);
        },
        onRoom(callback) {
          held.push({ share, bytes: 0, goOn: callback });
        },
        reserve(bytes) {
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
        giveBack(bytes) {
          own -= bytes;
          free(bytes);
        },
        close(keptBytes) {
          const index = held.findIndex((other) => other.share === share);
          if (index !== -1) held.splice(index, 1);
          if (first === share) first = undefined;
          kept += keptBytes;
          const rest = own - keptBytes;
          own = 0;
          free(rest);
        },
      };
      return share;
    },
  };
}
