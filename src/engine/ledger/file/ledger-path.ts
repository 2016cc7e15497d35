import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../../../core/errors.ts';
import { makeFolder } from '../../../platform/files/disk.ts';
import { outsideFailure } from '../../../platform/outside-failures.ts';

/** Locks and SQLite's log must be beside the real file, which may not exist yet. */
export function realLedgerPath(writtenPath: string): string {
  const path = resolve(writtenPath);
  if (existsSync(path)) return realpathSync(path);
  return join(realLedgerPath(dirname(path)), basename(path));
}

/**
 * SQLite keeps its log and locks beside the file. In a container that mounts only the file, they
 * would be lost with the container. Reads the mount list, because device numbers do not reliably
 * show a mount.
 */
export function refuseMountedFile(path: string): void {
  const list = '/proc/self/mountinfo';
  if (!existsSync(list) || !readFileSync(list, 'utf8').includes(` ${path} `)) return;
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return;
  throw new DossierError(
    'LEDGER_MISPLACED',
    `${path} is mounted as a single file, without its folder`,
  );
}

export function makeLedgerFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (cause) {
    const message = `cannot create the folder ${path}: ${(cause as Error).message}`;
    throw new DossierError('LEDGER_TROUBLE', message, { cause });
  }
}

/** Followed by the time, so copies sort by age. */
export const upgradeMark = '.before-upgrade-';

/** Copies that upgrades left, oldest first. */
export function copiesBeforeUpgrade(path: string): string[] {
  const start = basename(path) + upgradeMark;
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(start));
  return names.sort().map((name) => join(dirname(path), name));
}

export const temporary = ':temporary:';

export function withLedgerErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asLedgerError(path, error);
  }
}

export async function withLedgerErrorsAsync<Result>(
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asLedgerError(path, error);
  }
}

/** A full disk or a broken file is not a bug, so it becomes a DossierError. */
export function asLedgerError(path: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const draft = `the temporary ledger for planning, stored in TMPDIR (${tmpdir()}) if large,`;
  return outsideFailure('ledger', path === temporary ? draft : path, error);
}
