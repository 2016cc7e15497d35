import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const dossierMain = join(import.meta.dirname, '../../src/main.ts');

export const benchKey = 'key-of-the-bench';

const run = promisify(execFile);

/** Fills a store as a user does. */
export async function loadStore(file: string, store: string): Promise<void> {
  await run(process.execPath, [dossierMain, 'load', file, '--store', store, '--strict']);
}
