import { expect, test } from 'vitest';
import {
  flagFields,
  identifyFlags,
  type JobFlags,
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
  [{ limit: '10' }, 'limit', 10],
  [{ maxSpend: '873.84' }, 'maxSpend', 873_840_000],
  [{ format: ['csv,jsonl'] }, 'format', ['csv', 'jsonl']],
  [{ columns: ['lead-list,company_next_gen_*'] }, 'columns', ['lead-list', 'company_next_gen_*']],
  [{ outputDelimiter: '\\t' }, 'outputDelimiter', '\t'],
] as const)('%j is read', (flags, name, value) => {
  expect(readFlags<JobFlags>(flags)[name]).toEqual(value);
});

test.each([
  [{ rate: 'fast' }, '--rate: expected calls a second'],
  [{ concurrency: '0' }, '--concurrency: expected a whole number from 1 to 256'],
  [{ maxSpend: '0,5' }, 'such as 12.50; write 0.5'],
  [{ maxCalls: '1.5' }, '--max-calls: expected a whole number'],
  [{ input: 'http://host/leads.csv' }, 'standard input; http:// is allowed only for this machine'],
  [{ ledger: 'gs://bucket/ledger.db' }, '--ledger: expected the path of a file; gs:// is not'],
  [{ format: ['xls'] }, '--format: expected'],
  [{ outputDelimiter: 'x' }, '--output-delimiter: expected a comma, ;, | or tab'],
  [{ columns: ['company_nam'] }, 'did you mean company_name?'],
  [{ columns: ['all', 'Company Name'] }, 'expected a column of the companies or people table'],
  [{ url: 'https://u:s3cret@host' }, '--url: expected embedded, or an http(s) URL'],
])('%j is a wrong command line', (flags, message) => {
  expect(() => readFlags(flags)).toThrow(
    expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
  );
  expect(() => readFlags(flags)).not.toThrow('s3cret');
});

test.each([
  [{ column: ['a', 'b'], as: ['abn'] }, ['abn', 'abn']],
  [{ column: ['a', 'b'], as: ['abn', 'fqdn'] }, ['abn', 'fqdn']],
])('%j names columns and what they hold', (flags, as) => {
  expect(identifyFlags(flags)).toEqual([
    { column: 'a', as: as[0] },
    { column: 'b', as: as[1] },
  ]);
});

test.each([
  [{ as: ['abn'] }, 'name the column with --column'],
  [{ column: ['a'], as: ['abn', 'fqdn'] }, 'give --as once, or once for each column'],
])('%j is a wrong command line', (flags, message) => {
  expect(() => identifyFlags(flags)).toThrow(message);
});

test.each(Object.entries(flagFields))('--%s has a line of help', (_, field) => {
  expect(field.meta()?.flag).toMatch(/^.{10,110}$/);
});
