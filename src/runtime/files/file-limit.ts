import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

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
