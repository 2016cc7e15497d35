import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Running, World } from './world.ts';

/** A program that has begun to write and does not end. */
export function holdLedger({ ledger }: World): Disposable {
  const db = new Database(ledger, { timeout: 10_000 });
  db.exec('begin immediate');
  return { [Symbol.dispose]: () => void db.close() };
}

/** Removes a ledger with its log, while it may be in use. */
export function removeLedger({ ledger }: Pick<World, 'ledger'>): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${ledger}${end}`, { force: true });
}

/** Waits until a process has said something on standard error; throws when it ends before. */
export async function untilTold({ process: child, ended }: Running, text: string): Promise<void> {
  let told = '';
  const hears = new Promise<void>((resolve) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      if (told.includes(text)) resolve();
    });
  });
  const ends = ended.then(({ stderr }) => {
    throw new Error(`ended without ${text}: ${stderr}`);
  });
  await Promise.race([hears, ends]);
}
