import { existsSync } from 'node:fs';
import type { IdentifierKind } from '../core/contract/identifier-kinds.ts';
import { foldName } from '../core/names/fold-name.ts';
import { keyOf } from '../core/rules/suppression.ts';
import { openRegisterFile, readForgotten } from './register-file.ts';
import { replaceRegister } from './replace-register.ts';

/**
 * Removes entities by their suppression keys. Salted hashes stay, so a load does not bring them back, and
 * their names do not come to mean another company.
 */
export async function forgetEntities(path: string, keys: readonly string[], isDryRun: boolean) {
  if (!existsSync(path)) return 0;
  const found = findEntities(path, keys);
  if (isDryRun) return found.length;
  return await replaceRegister(path, { isCopy: true }, async (db) => {
    const { hashOf } = readForgotten(db);
    const put = db.prepare('insert or ignore into forgotten values (?)');
    for (const key of keys) put.run(hashOf(key));
    const names = db.prepare<[number], string>('select text from name where entity = ?').pluck();
    for (const { id, key } of found) {
      for (const text of names.all(id))
        put.run(`${hashOf(key)} ${hashOf(`name ${foldName(text)}`)}`);
    }
    const list = JSON.stringify(found.map(({ id }) => id));
    const among = 'in (select value from json_each(?))';
    db.prepare(`delete from name where entity ${among}`).run(list);
    db.prepare(`delete from entity where id ${among}`).run(list);
    return found.length;
  });
}

/** The next load brings them back. */
export async function allowEntities(path: string, keys: readonly string[]) {
  if (!existsSync(path)) return 0;
  return await replaceRegister(path, { isCopy: true }, async (db) => {
    const { forgotten, hashOf } = readForgotten(db);
    const remove = db.prepare(
      `delete from forgotten where hash = :hash or hash like :hash || ' %'`,
    );
    const hashes = keys.map(hashOf).filter((hash) => forgotten.has(hash));
    for (const hash of hashes) remove.run({ hash });
    return hashes.length;
  });
}

function findEntities(path: string, keys: readonly string[]) {
  const db = openRegisterFile(path);
  try {
    const find = db.prepare<[string], { id: number; kind: IdentifierKind; value: string }>(
      'select id, kind, value from entity where value = ?',
    );
    return keys.flatMap((key) => {
      const rows = find.all(key.slice(key.indexOf(' ') + 1));
      return rows.filter((row) => keyOf(row) === key).map(({ id }) => ({ id, key }));
    });
  } finally {
    db.close();
  }
}
