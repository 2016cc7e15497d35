import { existsSync, mkdirSync, statfsSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export function makeFolder(path: string): void {
  if (!existsSync(path)) mkdirSync(path, { recursive: true });
}

export function freeBytesAt(path: string): number | undefined {
  try {
    const { blocks, bavail, bsize } = statfsSync(path);
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    return undefined;
  }
}

const leftAlone = /^(?:node_modules|\.git)$|\.lock$/;

export async function* filesBelow(path: string): AsyncGenerator<string> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isFile()) yield path;
  if (!stats?.isDirectory()) return;
  for (const name of await readdir(path)) {
    if (!leftAlone.test(name)) yield* filesBelow(join(path, name));
  }
}
