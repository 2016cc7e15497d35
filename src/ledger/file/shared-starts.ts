import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isBusy } from './ledger-trouble.ts';
import { realLedgerPath } from './real-path.ts';

interface Place {
  readonly index: number;
  readonly untilMs: number;
}

interface Window {
  readonly capacity: number;
  readonly windowMs: number;
}

/** The requests that all processes on a ledger have just sent to one service with one key. */
export interface SharedStarts extends Disposable {
  take(wanted: number, window: Window): { places: readonly Place[]; waitMs: number };
  start(places: readonly { place: Place; inMs: number }[], windowMs: number): void;
  release(places: readonly Place[]): void;
}

/** How long a place stays taken by a process that dies before it sends. */
const holdMs = 10_000;
/** How long to wait for a transaction of another process, which takes a fraction of a millisecond. */
const busyMs = 20;
/** A held place may be given back at any time, so a process asks again after this wait at the latest. */
const longestWaitMs = 100;

/**
 * Remembers beside the ledger what was just sent, so that a rate holds for all processes on it and over
 * restarts. Not in the ledger, which a long transaction may hold. Only the last second matters, so
 * nothing waits for the disk.
 */
export function openSharedStarts(
  ledgerPath: string,
  { service, key }: { readonly service: string; readonly key: string },
  onTrouble: (error: Error) => void,
): SharedStarts {
  // Four bytes of the hash tell keys apart, and are too few to guess a key by.
  const channel = createHash('sha256').update(`${service}\n${key}`).digest().subarray(0, 4);
  const path = `${realLedgerPath(ledgerPath)}-rate`;
  let db: Database.Database | undefined;
  let change: ((update: (untils: number[]) => void) => boolean) | undefined;

  /** Where the file cannot be used, the process keeps the rate alone, and says so. */
  const attempt = <Result>(work: () => Result, otherwise: Result): Result => {
    try {
      return work();
    } catch (error) {
      db?.close();
      db = undefined;
      change = undefined;
      // A kill may have come between two writes; the next process makes the file anew.
      if ((error as { code?: string }).code === 'SQLITE_CORRUPT') rmSync(path, { force: true });
      onTrouble(error as Error);
      return otherwise;
    }
  };
  attempt(() => {
    db = new Database(path, { timeout: busyMs });
    change = prepareChange(db, channel);
  }, undefined);

  return {
    take(wanted, { capacity, windowMs }) {
      const places: Place[] = [];
      let waitMs = longestWaitMs;
      const alone = {
        places: Array.from({ length: wanted }, () => ({ index: -1, untilMs: 0 })),
        waitMs,
      };
      if (!change) return alone;
      return attempt(() => {
        change?.((untils) => {
          const now = nowMs();
          // The clock starts anew with the machine: a time too far ahead is from before its last start.
          const isTaken = (untilMs: number) => untilMs > now && untilMs <= now + holdMs + windowMs;
          const taken = untils.filter(isTaken).sort((one, other) => one - other);
          const room = Math.min(wanted, capacity - taken.length);
          for (let index = 0; places.length < room; index += 1) {
            if (isTaken(untils[index] ?? 0)) continue;
            const untilMs = now + holdMs + windowMs;
            untils[index] = untilMs;
            places.push({ index, untilMs });
          }
          const nextMs = taken[taken.length - capacity] ?? now;
          waitMs = Math.min(longestWaitMs, Math.max(1, nextMs - now));
        });
        return { places, waitMs };
      }, alone);
    },
    start(places, windowMs) {
      attempt(() => {
        untilDone(() =>
          change?.((untils) => {
            const now = nowMs();
            for (const { place, inMs } of places) {
              // A place that was held for too long may belong to another process by now.
              const isOurs = untils[place.index] === place.untilMs;
              untils[isOurs ? place.index : untils.length] = now + inMs + windowMs;
            }
          }),
        );
      }, undefined);
    },
    release(places) {
      attempt(() => {
        untilDone(() =>
          change?.((untils) => {
            for (const { index, untilMs } of places) {
              if (untils[index] === untilMs) untils[index] = 0;
            }
          }),
        );
      }, undefined);
    },
    [Symbol.dispose]() {
      change = undefined;
      db?.close();
    },
  };
}

/** Prepares to change the times of a channel in one transaction. False where another process was in the way. */
function prepareChange(
  db: Database.Database,
  channel: Buffer,
): (update: (untils: number[]) => void) => boolean {
  const prepare = () => {
    db.pragma('journal_mode = memory');
    db.pragma('synchronous = off');
    db.exec('create table if not exists sent (channel blob primary key, untils blob) strict');
  };
  untilDone(() => whenFree(prepare));
  const read = db.prepare<[Buffer], { untils: Buffer }>(
    'select untils from sent where channel = ?',
  );
  const write = db.prepare('insert or replace into sent (channel, untils) values (?, ?)');
  const transact = db.transaction((update: (untils: number[]) => void) => {
    const stored = read.get(channel)?.untils ?? Buffer.alloc(0);
    const untils = Array.from({ length: stored.length / 8 }, (_, at) =>
      stored.readDoubleLE(at * 8),
    );
    update(untils);
    // Places at the end that are free again are not kept.
    const now = nowMs();
    while ((untils.at(-1) ?? now + 1) <= now) untils.pop();
    write.run(channel, Buffer.from(Float64Array.from(untils).buffer));
  });
  return (update) => whenFree(() => transact.immediate(update));
}

function whenFree(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** Tries again while other processes are in the way: what has left must be written down. */
function untilDone(work: () => boolean | undefined): void {
  for (let tries = 0; work() === false && tries < 100; tries += 1);
}

/** Milliseconds of the monotonic clock, which all processes of a machine share and which cannot be set. */
function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
