import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrate } from '../../src/platform/migrate.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a migration that fails leaves nothing behind, nor does the one before it', () => {
  using folder = temporaryFolder();
  const db = new Database(':memory:');
  writeFileSync(join(folder.path, '0001-a.sql'), 'create table a (x)');
  writeFileSync(join(folder.path, '0002-a.sql'), 'create table a (x)');
  expect(() => migrate(db, folder.path)).toThrow('already exists');
  expect(db.pragma('user_version', { simple: true })).toBe(0);
  expect(db.prepare('select name from sqlite_schema').all()).toEqual([]);
});
