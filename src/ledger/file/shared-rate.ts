import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isBusy } from './ledger-trouble.ts';
import { realLedgerPath } from './real-path.ts';

interface RateState {
  /** When requests have left, or will at the latest. */
  leaves: number[];
  /** What is remembered of the rate, as text. */
  memory: string;
}

/** What all processes on a ledger know of the requests to one service with one key. */
export interface SharedRate extends Disposable {
  nowMs(): number;
  read(): string;
  tryChange(update: (state: RateState) => void): boolean;
  change(update: (state: RateState) => void): void;
}

/** How long to wait for a transaction of another process, which takes a fraction of a millisecond. */
const busyMs = 20;

/**
 * Remembers beside the ledger what was just sent and how much the service takes, so that a rate holds
 * for all processes on the ledger and over restarts. Not in the ledger, which a long transaction may
 * hold. What is lost here is learned again, so nothing waits for the disk. The file is made with the
 * first change.
 */
export function openSharedRate(
  ledgerPath: string,
  { service, key }: { readonly service: string; readonly key: string },
  onTrouble: (error: Error) => void,
): SharedRate {
  // Four bytes of the hash tell keys apart, and are too few to guess a key by.
  const channel = createHash('sha256').update(`${service}\n${key}`).digest().subarray(0, 4);
  const path = `${realLedgerPath(ledgerPath)}-rate`;
  let cell: RateCell | undefined;
  /** As it was last read: another process may be in the way of the next reading. */
  let memory = '';
  /** Where the file cannot be used, the process keeps the rate alone, and says so. */
  let alone: RateState | undefined;

  const attempt = (work: (opened: RateCell) => void) => {
    try {
      cell ??= openCell(path, channel);
      work(cell);
    } catch (error) {
      cell?.[Symbol.dispose]();
      cell = undefined;
      alone = { leaves: [], memory: '' };
      // A kill may have come between two writes; the next process makes the file anew.
      if ((error as { code?: string }).code === 'SQLITE_CORRUPT') rmSync(path, { force: true });
      onTrouble(error as Error);
    }
  };

  const tryChange = (update: (state: RateState) => void): boolean => {
    let isDone = false;
    if (!alone) {
      attempt((opened) => {
        isDone = opened.change(update);
      });
    }
    if (!alone) return isDone;
    update(alone);
    return true;
  };
  return {
    nowMs,
    read() {
      if (!alone && (cell || existsSync(path))) {
        attempt((opened) => {
          whenFree(() => {
            memory = opened.read().memory;
          });
        });
      }
      return alone?.memory ?? memory;
    },
    tryChange,
    /** Tries again while other processes are in the way: what has left must be written down. */
    change(update) {
      for (let tries = 0; !tryChange(update) && tries < 100; tries += 1);
    },
    [Symbol.dispose]() {
      alone ??= { leaves: [], memory: '' };
      cell?.[Symbol.dispose]();
      cell = undefined;
    },
  };
}

interface RateCell extends Disposable {
  read(): RateState;
  /** False where another process was in the way. */
  change(update: (state: RateState) => void): boolean;
}

function openCell(path: string, channel: Buffer): RateCell {
  const db = new Database(path, { timeout: busyMs });
  try {
    return prepareCell(db, channel);
  } catch (error) {
    db.close();
    throw error;
  }
}

function prepareCell(db: Database.Database, channel: Buffer): RateCell {
  const prepare = () => {
    db.pragma('journal_mode = memory');
    db.pragma('synchronous = off');
    db.exec(
      'create table if not exists rate (channel blob primary key, leaves blob, memory text) strict',
    );
  };
  for (let tries = 0; !whenFree(prepare) && tries < 100; tries += 1);
  const select = db.prepare<[Buffer], { leaves: Buffer; memory: string }>(
    'select leaves, memory from rate where channel = ?',
  );
  const write = db.prepare(
    'insert or replace into rate (channel, leaves, memory) values (?, ?, ?)',
  );
  const read = () => {
    const { leaves, memory } = select.get(channel) ?? { leaves: Buffer.alloc(0), memory: '' };
    const times = Array.from({ length: leaves.length / 8 }, (_, at) => leaves.readDoubleLE(at * 8));
    return { leaves: times, memory };
  };
  const transact = db.transaction((update: (state: RateState) => void) => {
    const state = read();
    update(state);
    const leaves = Buffer.from(Float64Array.from(state.leaves).buffer);
    write.run(channel, leaves, state.memory);
  });
  return {
    read,
    change: (update) => whenFree(() => transact.immediate(update)),
    [Symbol.dispose]: () => db.close(),
  };
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

/** Milliseconds of the monotonic clock, which all processes of a machine share and which cannot be set. */
function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
