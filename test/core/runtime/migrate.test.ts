import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrate } from '../../../src/core/runtime/migrate.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('migrations are applied in order, each once', () => {
  using folder = temporaryFolder();
  const db = new Database(':memory:');
  writeFileSync(join(folder.path, '0001-a.sql'), 'create table a (x);');
  expect(migrate(db, folder.path)).toBe(true);
  writeFileSync(join(folder.path, '0002-b.sql'), 'alter table a add column y;');
  expect(migrate(db, folder.path)).toBe(true);
  expect(migrate(db, folder.path)).toBe(true);
  expect(db.pragma('user_version', { simple: true })).toBe(2);
  expect(db.prepare('select y from a').all()).toEqual([]);
});

test('a migration that fails leaves nothing behind', () => {
  using folder = temporaryFolder();
  const db = new Database(':memory:');
  writeFileSync(join(folder.path, '0001-a.sql'), 'create table a (x); create table a (x);');
  expect(() => migrate(db, folder.path)).toThrow('already exists');
  expect(db.pragma('user_version', { simple: true })).toBe(0);
  expect(db.prepare('select name from sqlite_schema').all()).toEqual([]);
});

test('a database of a newer version is left alone', () => {
  using folder = temporaryFolder();
  const db = new Database(':memory:');
  db.pragma('user_version = 3');
  expect(migrate(db, folder.path)).toBe(false);
});
