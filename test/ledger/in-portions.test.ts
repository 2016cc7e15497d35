import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { inPortions } from '../../src/ledger/in-portions.ts';

test.each([0, 1, 31, 32, 33, 64, 100])('%i rows go in and come out in their order', (count) => {
  const db = new Database(':memory:');
  db.exec('create table word (place integer, text text) strict');
  const insert = inPortions(
    db,
    '(?, ?)',
    (rows) => `insert into word (place, text) values ${rows}`,
  );
  const rows = Array.from({ length: count }, (_, place) => [place, `word ${place}`] as const);
  insert.run(rows);
  expect(db.prepare('select count(*) from word').pluck().get()).toBe(count);

  const find = inPortions<{ text: string }>(
    db,
    '(?, ?)',
    (asked) => `
      select word.text from (values ${asked}) asked cross join word on word.text = asked.column2
      order by asked.column1`,
  );
  const backwards = rows.toReversed().map(([, text], place) => [place, text] as const);
  expect(find.all(backwards).map(({ text }) => text)).toEqual(backwards.map(([, text]) => text));
});
