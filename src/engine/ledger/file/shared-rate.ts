import { hash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isSqliteBusy } from '../../../platform/files/lock-file.ts';
import { orClose } from './ledger-file.ts';
import { realLedgerPath, temporary } from './ledger-path.ts';

interface Address {
  readonly service: string;
  readonly key: string;
}

/**
 * Other processes lock the file for less than 1 ms. One that locks it for longer than this time is
 * probably suspended, so stop waiting for it.
 */
const lockWaitMs = 100;

/** The rate has its own file: the ledger may be locked for long. Losing that file is harmless. */
export function openSharedRate(
  ledgerPath: string,
  address: Address,
  onError: (error: Error) => void,
) {
  const path = ratePath(ledgerPath);
  let cell: ReturnType<typeof openCell> | undefined;
  let privateState = ledgerPath === temporary ? '' : undefined;
  const close = () => {
    cell?.close();
    cell = undefined;
    privateState ??= '';
  };
  return {
    roundTripMs: 0,
    change(update: (text: string, nowMs: number) => string) {
      try {
        if (privateState === undefined) {
          cell ??= openCell(path, address);
          return cell.change(update);
        }
      } catch (error) {
        if (isSqliteBusy(error)) return;
        close();
        // A kill may have left a partial write.
        if ((error as { code?: string }).code === 'SQLITE_CORRUPT') rmSync(path, { force: true });
        onError(error as Error);
      }
      privateState = update(privateState ?? '', monotonicMs());
    },
    [Symbol.dispose]: close,
  };
}

export function readSharedRate(ledgerPath: string, address: Address): string {
  const path = ratePath(ledgerPath);
  if (!existsSync(path)) return '';
  try {
    const cell = openCell(path, address);
    const text = cell.read();
    cell.close();
    return text;
  } catch {
    return '';
  }
}

function ratePath(ledgerPath: string) {
  return `${realLedgerPath(ledgerPath)}-rate`;
}

function openCell(path: string, { service, key }: Address) {
  const channel = Buffer.from(accountOf(service, key), 'hex');
  const db = new Database(path, { timeout: lockWaitMs });
  return orClose(db, () => {
    db.pragma('journal_mode = memory');
    db.pragma('synchronous = off');
    db.exec('create table if not exists window (channel blob primary key, state text) strict');
    const select = db
      .prepare<[Buffer], string>('select state from window where channel = ?')
      .pluck();
    const write = db.prepare('insert or replace into window (channel, state) values (?, ?)');
    const read = () => select.get(channel) ?? '';
    const change = db.transaction((update: (text: string, nowMs: number) => string) => {
      write.run(channel, update(read(), monotonicMs()));
    });
    return { read, change: change.immediate, close: () => db.close() };
  });
}

/** All processes of a machine share this clock, and it cannot be set. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** 4 bytes of a hash distinguish accounts, but are too few to guess the key. */
export function accountOf(service: string, key: string): string {
  return hash('sha256', `${service}\n${key}`, 'hex').slice(0, 8);
}
