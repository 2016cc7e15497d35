import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statfsSync,
} from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Creates parents one by one, because Node's `recursive` option never returns below /proc. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

export function freeBytesAt(path: string): number | undefined {
  try {
    const { blocks, bavail, bsize } = statfsSync(path);
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    return undefined;
  }
}

/** Open files kept free for outputs, modules and a log. */
const reservedFiles = 20;

export function filesLeft(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, most = ''] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    const left = Number.parseInt(most, 10) - readdirSync('/proc/self/fd').length - reservedFiles;
    return Number.isNaN(left) ? Number.POSITIVE_INFINITY : left;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Tries to open files, because an SQLite error does not say whether too many were open. */
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

const leftAlone = /^(?:node_modules|\.git)$|\.lock$/;

export async function* filesBelow(path: string): AsyncGenerator<string> {
  const facts = await lstat(path).catch(() => undefined);
  if (facts?.isFile()) yield path;
  if (!facts?.isDirectory()) return;
  for (const name of await readdir(path)) {
    if (!leftAlone.test(name)) yield* filesBelow(join(path, name));
  }
}
