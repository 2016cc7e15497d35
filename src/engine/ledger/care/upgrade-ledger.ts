import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../../../core/errors.ts';
import { formatBytes } from '../../../core/values/format.ts';
import { freeBytesAt } from '../../../platform/files/disk.ts';
import { isOutdated, openFileToRead, pageBytes, upgradeSchema } from '../file/ledger-file.ts';
import {
  copiesBeforeUpgrade,
  realLedgerPath,
  upgradeMark,
  withLedgerErrorsAsync,
} from '../file/ledger-path.ts';
import { isJobLocked, lockNames } from '../file/locks.ts';
import { copyTo, stampOf } from './backup-ledger.ts';

export const copyKeptDays = 30;

/** Returns the path of the copy, or undefined if the ledger is new or up to date. */
export async function upgradeLedger(given: string): Promise<string | undefined> {
  const path = realLedgerPath(given);
  if (!existsSync(path)) return undefined;
  const oldest = stampOf(Date.now() - copyKeptDays * 24 * 3_600_000);
  for (const copy of copiesBeforeUpgrade(path)) {
    if (copy < path + upgradeMark + oldest) rmSync(copy);
  }
  return await withLedgerErrorsAsync(path, async () => {
    using source = openFileToRead(path, true);
    if (!source || !isOutdated(source.db, path)) return undefined;
    const db = new Database(path, { timeout: 60_000, fileMustExist: true });
    try {
      // No other process can write until the end, so the copy lacks nothing.
      db.exec('begin immediate');
      // Another process may have upgraded it meanwhile.
      if (!isOutdated(db, path)) return undefined;
      refuseInUse(path);
      refuseWithoutRoom(db, path);
      const copy = path + upgradeMark + stampOf(Date.now());
      await copyTo(copy, source, 'quick_check');
      upgradeSchema(db);
      db.exec('commit');
      return copy;
    } finally {
      // Without a commit, this rolls back.
      db.close();
    }
  });
}

/** A running process of the older version would fail after the upgrade. */
function refuseInUse(path: string) {
  if (!lockNames(path).some((name) => isJobLocked(path, name))) return;
  throw new DossierError(
    'JOB_BUSY',
    `${path} was written by an older version of Dossier, and cannot be upgraded while a command uses it`,
  );
}

function refuseWithoutRoom(db: Database.Database, path: string) {
  const needed = pageBytes(db).all;
  const free = freeBytesAt(dirname(path)) ?? needed;
  if (free >= needed) return;
  throw new DossierError(
    'LEDGER_TROUBLE',
    `${path} was not upgraded: a copy of it needs ${formatBytes(needed)}, and its disk has ${formatBytes(free)} free`,
  );
}
