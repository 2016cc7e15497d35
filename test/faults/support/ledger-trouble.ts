import { existsSync, renameSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Running, World } from './world.ts';

/** A program that has begun to write and does not end. */
export function holdLedger({ ledger }: World): Disposable {
  const db = new Database(ledger, { timeout: 10_000 });
  db.exec('begin immediate');
  return { [Symbol.dispose]: () => void db.close() };
}

/** Moves a ledger with its log away, while it may be in use; gives how to put it back. */
export function takeAwayLedger({ ledger }: World): () => void {
  const moved = `${ledger}-away`;
  const move = (from: string, to: string) => {
    for (const end of ['', '-wal', '-shm']) {
      if (existsSync(from + end)) renameSync(from + end, to + end);
    }
  };
  move(ledger, moved);
  return () => move(moved, ledger);
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
