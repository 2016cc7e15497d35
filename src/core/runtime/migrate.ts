import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns false if the database is newer than the migrations in the folder. */
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
  const version = () => Number(db.pragma('user_version', { simple: true }));
  if (version() >= files.length) return version() === files.length;
  // One transaction, so no reader sees a database between two versions. Another process may have
  // migrated meanwhile, so the version is read again.
  db.exec('begin immediate');
  try {
    for (const name of files.slice(version())) db.exec(readFileSync(join(folder, name), 'utf8'));
    if (version() < files.length) db.exec(`pragma user_version = ${files.length}`);
    db.exec('commit');
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
  return true;
}
