import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** False if the database is newer than the files. */
export function migrate(
  db: {
    exec(sql: string): unknown;
    pragma(sql: string, options: { simple: true }): unknown;
  },
  folder: string,
): boolean {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  const current = Number(db.pragma('user_version', { simple: true }));
  if (current > files.length) return false;
  for (const [index, name] of files.entries()) {
    if (index < current) continue;
    const sql = readFileSync(join(folder, name), 'utf8');
    // Another process may have migrated meanwhile, so the version is read again.
    db.exec('begin immediate');
    try {
      if (Number(db.pragma('user_version', { simple: true })) === index) {
        db.exec(sql);
        db.exec(`pragma user_version = ${index + 1}`);
      }
      db.exec('commit');
    } catch (error) {
      db.exec('rollback');
      throw error;
    }
  }
  return true;
}
