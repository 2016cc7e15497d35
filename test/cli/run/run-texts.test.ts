import { expect, test } from 'vitest';
import { fileText, fixCommandLine, retryText } from '../../../src/cli/run/run-texts.ts';
import { nameJob, rememberJob } from '../../../src/cli/terminal/text.ts';

test('the suggested fix command repeats list, service, ledger and columns', () => {
  const given = { url: 'embedded', ledger: 'my ledger.db', column: ['web', 'abn'], as: ['auto'] };
  const file = 'output/leads/rejects.csv';
  expect(fixCommandLine({ job: 'leads.csv', ...given }, file)).toBe(
    "dossier fix leads.csv output/leads/rejects.csv --column web --column abn --as auto --url embedded --ledger 'my ledger.db'",
  );
  const job = { job: 'leads.yaml', input: 'tonight.csv', output: 'out', keyFile: 'key', rate: '2' };
  expect(fixCommandLine(job, file)).toBe(
    'dossier fix leads.yaml output/leads/rejects.csv --input tonight.csv --key-file key --rate 2 --output out',
  );
  expect(fixCommandLine({ job: 'leads.yaml' }, 'output/leads/workbook.xlsx')).toBe(
    'dossier fix leads.yaml output/leads/workbook.xlsx',
  );
});

test('rejects of a list from standard input are run as a list', () => {
  expect(fixCommandLine({ job: '-', url: 'embedded' }, 'output/standard-input/rejects.csv')).toBe(
    'dossier run output/standard-input/rejects.csv --url embedded',
  );
  expect(fixCommandLine({ job: '-' }, 'output/standard-input/workbook.xlsx')).toBe(
    'dossier run output/standard-input/workbook.xlsx --sheet Rejects',
  );
});

test('failed rows are retried by a run, not by fix', () => {
  expect(retryText({ job: 'a b.yaml', isFix: true })).toContain("`dossier run 'a b.yaml'` retries");
  expect(retryText({ job: 'a.yaml' })).toContain('Run it again');
});

test('commands in messages repeat the flags that they take, but not those they name', () => {
  rememberJob('a b.csv', { url: 'embedded', ledger: 'my.db', output: 'out', maxCalls: '3' });
  const text =
    'See `dossier spend <job>`, `dossier export <job> --output <folder>` or `dossier audit`.';
  expect(nameJob(text)).toBe(
    "See `dossier spend 'a b.csv' --ledger my.db`, `dossier export 'a b.csv' --output <folder> --ledger my.db` or `dossier audit`.",
  );
  rememberJob(undefined);
});

test('a workbook shows the records of each sheet, and cells that were cut', () => {
  const sheets = [
    { name: 'Companies', rows: 1_204 },
    { name: 'Rejects', rows: 1 },
  ];
  const file = { name: 'workbook.xlsx', table: 'workbook', format: 'xlsx', rows: 1_205 } as const;
  const workbook = { ...file, bytes: 2, sha256: 'a'.repeat(64), sheets, cutCells: 1 };
  expect(fileText(workbook, ['workbook.xlsx'])).toBe(
    'Companies 1,204, Rejects 1, unchanged; 1 cell cut at 32,767 characters (--format csv keeps the full text)',
  );
});
