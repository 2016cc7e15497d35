import { expect, test } from 'vitest';
import {
  flagFields,
  type JobFlags,
  readColumns,
  readFlags,
  readInputForm,
} from '../../src/job/job-flags.ts';

test('flags that say how the list is read become keys of input', () => {
  expect(readInputForm({})).toEqual({});
  expect(readInputForm({ sheet: 'March', encoding: 'latin1', delimiter: '\\t' })).toEqual({
    sheet: 'March',
    encoding: 'latin1',
    delimiter: '\t',
  });
  expect(() => readInputForm({ delimiter: ';;' })).toThrow('--delimiter: expected one character');
  expect(() => readInputForm({ encoding: 'klingon' })).toThrow('--encoding: expected an encoding');
});

test.each([
  [{ rate: '0.5' }, 'rate', 0.5],
  [{ rate: 'none' }, 'rate', 'none'],
  [{ limit: '10' }, 'limit', 10],
  [{ maxCalls: '0' }, 'maxCalls', 0],
  [{ maxSpend: '873.84' }, 'maxSpend', 873_840_000],
  [{ format: ['csv,jsonl'] }, 'format', ['csv', 'jsonl']],
  [{ format: ['csv', 'parquet'] }, 'format', ['csv', 'parquet']],
  [{ columns: ['lead-list,company_next_gen_*'] }, 'columns', ['lead-list', 'company_next_gen_*']],
  [{ outputDelimiter: '\\t' }, 'outputDelimiter', '\t'],
] as const)('%j is read', (flags, name, value) => {
  expect(readFlags<JobFlags>(flags)[name]).toEqual(value);
});

test.each([
  [{ rate: 'fast' }, '--rate: expected requests a second'],
  [{ rate: '' }, '--rate: expected requests a second'],
  [{ rate: '99999' }, '--rate: expected requests a second'],
  [{ concurrency: '0' }, '--concurrency: expected a whole number from 1 to 256'],
  [{ maxCalls: '1.5' }, '--max-calls: expected a whole number'],
  [{ input: 'http://host/leads.csv' }, 'standard input; http:// is read from this machine only'],
  [{ ledger: 'gs://bucket/ledger.db' }, '--ledger: expected the path of a file; gs:// is not'],
  [{ limit: '0' }, '--limit: expected a whole number, 1 or more'],
  [{ format: ['xls'] }, '--format: expected'],
  [{ order: 'mine' }, '--order: expected one of list-first, result-first'],
  [{ outputDelimiter: 'x' }, '--output-delimiter: expected a comma, ;, | or tab'],
  [{ columns: ['company_nam'] }, 'did you mean company_name?'],
  [{ columns: ['all', 'Company Name'] }, 'expected a column of companies or people'],
  [{ url: 'https://u:s3cret@host' }, '--url: expected embedded, or an http(s) address'],
  [{ input: '' }, '--input: expected the path of a file'],
])('%j is a wrong command line', (flags, message) => {
  expect(() => readFlags(flags)).toThrow(
    expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
  );
  expect(() => readFlags(flags)).not.toThrow('s3cret');
});

test.each([
  [{ column: ['a', 'b'] }, ['auto', 'auto']],
  [{ column: ['a', 'b'], as: ['abn'] }, ['abn', 'abn']],
  [{ column: ['a', 'b'], as: ['abn', 'fqdn'] }, ['abn', 'fqdn']],
])('%j names columns and what they hold', (flags, as) => {
  expect(readColumns(flags)).toEqual([
    { column: 'a', as: as[0] },
    { column: 'b', as: as[1] },
  ]);
});

test.each([
  [{ as: ['abn'] }, 'name the column with --column'],
  [{ column: ['a'], as: ['abn', 'fqdn'] }, 'give --as once, or once for each column'],
])('%j is a wrong command line', (flags, message) => {
  expect(() => readColumns(flags)).toThrow(message);
});

test.each(Object.entries(flagFields))('--%s has a line of help', (_, field) => {
  expect(field.meta()?.flag).toMatch(/^.{10,110}$/);
});
