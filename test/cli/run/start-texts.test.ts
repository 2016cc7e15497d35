import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rejectsCommand, replacedText } from '../../../src/cli/run/start-texts.ts';

test('the rejects are run again over the same service, ledger and columns', () => {
  const given = { url: 'embedded', ledger: 'my ledger.db', column: ['web', 'abn'], as: ['auto'] };
  const file = 'output/leads/rejects.csv';
  expect(rejectsCommand({ job: 'leads.csv', ...given }, file, undefined)).toBe(
    "dossier run output/leads/rejects.csv --url embedded --ledger 'my ledger.db' --column web --column abn --as auto",
  );
  const job = { job: 'leads.yaml', keyFile: 'key', rate: '2' };
  expect(rejectsCommand(job, file, undefined)).toBe(
    'dossier run leads.yaml --input output/leads/rejects.csv --output output/leads-rejects --key-file key --rate 2',
  );
  expect(rejectsCommand({ job: 'leads.yaml' }, 'output/leads/workbook.xlsx', 'Rejects')).toBe(
    'dossier run leads.yaml --input output/leads/workbook.xlsx --output output/leads-rejects --sheet Rejects',
  );
});

test('a replaced result is exported again from the ledger that holds it', () => {
  const replaced = { folder: join(process.cwd(), 'out'), run: 'r1', input: 'a.csv', rows: 3 };
  const given = { job: 'a.yaml', ledger: 'other.db', url: 'embedded' };
  expect(replacedText(replaced, { input: 'b.csv', rows: 1 }, given)).toContain(
    ': dossier export a.yaml --run r1 --output out-r1 --ledger other.db',
  );
});
