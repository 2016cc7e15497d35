import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface MigratedDatabase {
  exec(sql: string): unknown;
  pragma(sql: string, options: { simple: true }): unknown;
  transaction(work: () => void): { immediate(): void };
}

/** Negative if the database is newer than the migrations in the folder. */
export function migrationsMissing(db: MigratedDatabase, folder: string): number {
  return migrationsIn(folder).length - versionOf(db);
}

/** Returns false if the database is newer than the migrations in the folder. */
export function migrate(db: MigratedDatabase, folder: string): boolean {
  const missing = migrationsMissing(db, folder);
  if (missing <= 0) return missing === 0;
  const files = migrationsIn(folder);
  // One transaction, so no reader sees a database between two versions. Another process may have
  // migrated meanwhile, so the version is read again.
  const apply = db.transaction(() => {
    for (const name of files.slice(versionOf(db))) {
      db.exec(readFileSync(join(folder, name), 'utf8'));
    }
    if (versionOf(db) < files.length) db.exec(`pragma user_version = ${files.length}`);
  });
  apply.immediate();
  return true;
}

function migrationsIn(folder: string) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

function versionOf(db: MigratedDatabase) {
  return Number(db.pragma('user_version', { simple: true }));
}
