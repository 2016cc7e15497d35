import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { IdentifierKind } from '../core/contract/identifier-kinds.ts';
import { hashKey, keyOf } from '../core/rules/suppression.ts';
import { openRegisterFile } from './register-file.ts';
import { replaceRegister } from './replace-register.ts';

/** Removes entities by their suppression keys. Salted hashes stay, so a load does not bring them back. */
export async function forgetEntities(path: string, keys: readonly string[], isDryRun: boolean) {
  if (!existsSync(path)) return 0;
  const ids = findIds(path, keys);
  if (isDryRun) return ids.length;
  return await replaceRegister(path, { isCopy: true }, async (db) => {
    const put = db.prepare('insert or ignore into forgotten values (?)');
    for (const hash of hashesOf(db, keys)) put.run(hash);
    const list = JSON.stringify(ids);
    const among = 'in (select value from json_each(?))';
    db.prepare(`delete from name where entity ${among}`).run(list);
    db.prepare(`delete from entity where id ${among}`).run(list);
    return ids.length;
  });
}

/** The next load brings them back. */
export async function allowEntities(path: string, keys: readonly string[]) {
  if (!existsSync(path)) return 0;
  return await replaceRegister(path, { isCopy: true }, async (db) => {
    const remove = db.prepare('delete from forgotten where hash = ?');
    return hashesOf(db, keys).reduce((sum, hash) => sum + remove.run(hash).changes, 0);
  });
}

function findIds(path: string, keys: readonly string[]) {
  const db = openRegisterFile(path);
  try {
    const find = db.prepare<[string], { id: number; kind: IdentifierKind; value: string }>(
      'select id, kind, value from entity where value = ?',
    );
    return keys.flatMap((key) => {
      const rows = find.all(key.slice(key.indexOf(' ') + 1));
      return rows.filter((row) => keyOf(row) === key).map(({ id }) => id);
    });
  } finally {
    db.close();
  }
}

function hashesOf(db: Database.Database, keys: readonly string[]) {
  const salt = db.prepare<[], string>('select salt from salt').pluck().get() ?? '';
  return keys.map((key) => hashKey(key, salt).toString(16));
}
