import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { statementsOn } from '../../../src/engine/ledger/statements.ts';

test.each([0, 1, 31, 32, 33, 64, 100])('%i rows go in and come out in their order', (count) => {
  const db = new Database(':memory:');
  db.exec('create table word (place integer, text text) strict');
  const { inPortions } = statementsOn(db);
  const insert = inPortions('(?, ?)', (rows) => `insert into word (place, text) values ${rows}`);
  const rows = Array.from({ length: count }, (_, place) => [place, `word ${place}`] as const);
  insert(rows);
  expect(db.prepare('select count(*) from word').pluck().get()).toBe(count);

  const find = inPortions<{ text: string }>(
    '(?, ?)',
    (asked) => `
      select word.text from (values ${asked}) asked cross join word on word.text = asked.column2
      order by asked.column1`,
  );
  const backwards = rows.toReversed().map(([, text], place) => [place, text] as const);
  expect(find(backwards).map(({ text }) => text)).toEqual(backwards.map(([, text]) => text));
});
