import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statfsSync,
} from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, one after the other: where none may be made, as below /proc,
 * Node's own `recursive` never returns.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have been faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Bytes that may still be written on the disk of a path; undefined where the file system does not know. */
export function freeBytesAt(path: string): number | undefined {
  try {
    const { blocks, bavail, bsize } = statfsSync(path);
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    return undefined;
  }
}

/** Files that a run opens besides its sockets: outputs under their temporary names, modules, a log. */
const reserve = 20;

/** How many files and sockets this process may still open at once; unlimited where the system does not say. */
export function filesLeft(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, most = ''] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    const left = Number.parseInt(most, 10) - readdirSync('/proc/self/fd').length - reserve;
    return Number.isNaN(left) ? Number.POSITIVE_INFINITY : left;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Whether this process may open so many files more. SQLite does not say why it could open none. */
export function canOpenFiles(count: number): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(process.execPath, 'r'));
    return true;
  } catch {
    return false;
  } finally {
    for (const file of opened) closeSync(file);
  }
}
