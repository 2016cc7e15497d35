import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { openInput } from '../../src/lists/open-input.ts';

/** The files of a folder that hold a value: in their bytes, or in what they pack. */
export async function filesWith(folder: string, value: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (await fileHolds(path, value)) found.push(relative(folder, path));
  }
  return found.sort();
}

async function fileHolds(path: string, value: string): Promise<boolean> {
  const stored = readFileSync(path);
  const bytes = stored.subarray(0, 4).equals(zstdMark) ? zstdDecompressSync(stored) : stored;
  if (bytes.includes(value)) return true;
  if (/\.(?:xlsx|parquet)$/.test(path)) return await tableHolds(path, value);
  return bytes.subarray(0, 15).toString() === 'SQLite format 3' && bundlesHold(bytes, value);
}

const zstdMark = Buffer.from('28b52ffd', 'hex');

async function tableHolds(path: string, value: string, sheet?: string): Promise<boolean> {
  const input = await openInput(path, { sheet });
  const others = sheet === undefined ? (input.sheet?.others ?? []) : [];
  const rows = await Array.fromAsync(input.rows);
  if (rows.some(({ cells }) => cells.some((cell) => cell?.includes(value)))) return true;
  for (const other of others) if (await tableHolds(path, value, other)) return true;
  return false;
}

function bundlesHold(bytes: Buffer, value: string): boolean {
  // A database in memory has no log: the header says that there is none.
  const file = Buffer.from(bytes);
  file.fill(1, 18, 20);
  const db = new Database(file);
  try {
    const hasBundles = db.prepare(`select 1 from sqlite_schema where name = 'bundle'`).get();
    if (!hasBundles) return false;
    const bundles = db.prepare<[], { encoding: string; bytes: Buffer }>(
      `select encoding, bytes from bundle`,
    );
    return bundles.all().some(({ encoding, bytes: packed }) => {
      const plain = encoding === 'zstd' ? zstdDecompressSync(packed) : packed;
      return plain.includes(value);
    });
  } finally {
    db.close();
  }
}
