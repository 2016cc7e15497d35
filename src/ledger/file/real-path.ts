import { existsSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DossierError } from '../../errors.ts';
import { makeFolder } from '../../runtime/files/disk.ts';

/** As many links as Linux follows. */
const mostLinks = 40;

/**
 * The path of a ledger with all symbolic links followed, so that locks and SQLite's log lie beside the
 * file itself, whatever name it was called by. The file need not exist yet.
 */
export function realLedgerPath(path: string): string {
  let place = withRealFolder(resolve(path));
  for (let links = 0; links < mostLinks; links += 1) {
    const target = targetOf(place);
    if (target === undefined) return place;
    place = withRealFolder(resolve(dirname(place), target));
  }
  throw new DossierError('LEDGER_TROUBLE', `${path} is a link that leads to itself`);
}

/**
 * Refuses a ledger that has a second name. SQLite keeps its log and its locks by name, so two processes
 * that use two names see each other's answers late or never, and pay for the same calls.
 */
export function refuseSecondName(path: string): void {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (!facts?.isFile()) return;
  if (facts.nlink > 1) {
    throw new DossierError('LEDGER_MISPLACED', `${path} is one file under ${facts.nlink} names`);
  }
  if (isMountPoint(path)) {
    throw new DossierError('LEDGER_MISPLACED', `${path} is mounted as a single file`);
  }
}

function withRealFolder(path: string): string {
  return join(realFolder(dirname(path)), basename(path));
}

/** A folder that does not exist yet lies below one that does. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const above = dirname(folder);
    return above === folder ? folder : join(realFolder(above), basename(folder));
  }
}

/** Undefined where the path is no link. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Only Linux mounts single files, and lists what is mounted. The number of the device does not tell: a
 * file of an overlay may have another than its folder, and a bind mount may have the same.
 */
function isMountPoint(path: string): boolean {
  const list = '/proc/self/mountinfo';
  if (!existsSync(list)) return false;
  return readFileSync(list, 'utf8')
    .split('\n')
    .some((line) => unescaped(line.split(' ')[4] ?? '') === path);
}

/** Linux writes a space in a path as `\040`. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

export function makeLedgerFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (cause) {
    const message = `cannot make the folder ${path}: ${(cause as Error).message}`;
    throw new DossierError('LEDGER_TROUBLE', message, { cause });
  }
}
