import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkLedger, examineLedger } from '../../../../src/engine/ledger/care/examine-ledger.ts';
import { brokenRelations, relations } from '../../../support/ledger-relations.ts';
import { openDatabase } from '../support/answers.ts';
import { careLedger } from './care-ledger.ts';

/** `table.column` of each. */
const columns = relations.map((relation) => relation.split(' ')[0] ?? '');

test('an intact ledger has no finding, also while it is written', () => {
  using care = careLedger();
  using writer = openDatabase(care.path);
  writer.value.exec('begin immediate');
  expect(examineLedger(care.path)).toEqual({ path: care.path, answers: 20, findings: [] });
});

test('a changed byte of an answer is found by its checksum', () => {
  using care = careLedger();
  {
    using file = openDatabase(care.path);
    file.value.exec(`update answer set checksum = checksum + 1 where id in (3, 7)`);
    file.value.exec(`update bundle set bytes = x'00' where id = 12`);
  }
  expect(examineLedger(care.path).findings).toEqual([
    {
      what: 'answer',
      finding:
        'answers that do not match their checksum: 3 of 20; the first: company?country=AU&fqdn=company2.com.au',
      count: 3,
      remedy: expect.stringContaining('dossier ledger merge <backup>'),
    },
  ]);
});

test('every column that names a line of another table is looked at', () => {
  using care = careLedger();
  using file = openDatabase(care.path);
  const tables = file.value
    .prepare<[], string>(`select name from sqlite_schema where type = 'table'`)
    .pluck()
    .all();
  const naming = tables.flatMap((table) =>
    (file.value.pragma(`table_info(${table})`) as ColumnInfo[])
      .filter(({ name }) =>
        /^(?:run|list|row|call|answer|bundle|search|replaced|kept_answer)_id$/.test(name),
      )
      .map(({ name }) => `${table}.${name}`),
  );
  // How far answers go, lookups, which are run 0, and starts, which may outlive their run.
  const free = ['alias_progress.answer_id', 'clock_step.answer_id', 'spend.run_id', 'start.run_id'];
  expect(brokenRelations(file.value)).toEqual([]);
  expect(naming.filter((column) => !free.includes(column)).toSorted()).toEqual(columns.toSorted());
});

interface ColumnInfo {
  readonly name: string;
}

test('a file that lost pages is damaged, and its lines are not looked at', () => {
  using care = careLedger(200);
  writeFileSync(care.path, readFileSync(care.path).fill(0x55, 20 * 4_096, 30 * 4_096));
  const { findings } = examineLedger(care.path);
  expect(findings.length).toBeGreaterThan(0);
  expect(new Set(findings.map(({ what }) => what))).toEqual(new Set(['file']));
  expect(() => checkLedger(care.path)).toThrow(expect.objectContaining({ code: 'LEDGER_DAMAGED' }));
  truncateSync(care.path, 30 * 4_096 + 10);
  expect(examineLedger(care.path).findings).toMatchObject([{ what: 'file', count: null }]);
});
