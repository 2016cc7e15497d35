import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readObjectAddress, showObjectAddress } from '../../../src/objects/object-address.ts';
import { fixedFolder, placeKeys } from '../../../src/sinks/upload/place-keys.ts';

const values = { job: 'lead-list', run: 'r7', date: '2026-08-22' };
const placed = (key: string, aside?: string) => placeKeys({ bucket: 'b', key }, values, aside);

describe('the path of a place', () => {
  test.each([
    ['', 'companies.csv', 'latest.json'],
    ['out', 'out/companies.csv', 'out/latest.json'],
    ['out//{job}/', 'out/lead-list/companies.csv', 'out/lead-list/latest.json'],
    ['{date}/{run}', '2026-08-22/r7/companies.csv', 'latest.json'],
    ['a/date={date}/{table}', 'a/date=2026-08-22/companies/companies.csv', 'a/latest.json'],
    ['{table}/{table}-{run}', 'companies/companies-r7/companies.csv', 'latest.json'],
  ])('%j puts companies at %s', (path, file, latest) => {
    expect(placed(path).file('companies', 'companies.csv').key).toBe(file);
    const { key } = fixedFolder({ bucket: 'b', key: path }, values);
    expect([key, 'latest.json'].filter(Boolean).join('/')).toBe(latest);
  });

  test('with a table keeps what is put aside out of the folders of the tables', () => {
    const held = placed('out/{table}/date={date}', 'held-r7');
    expect(held.file('people', 'people.csv').key).toBe(
      'out/held-r7/people/date=2026-08-22/people.csv',
    );
  });

  const part = fc.constantFrom(
    'a',
    'b-1',
    '{table}',
    '{date}',
    '{run}',
    '{job}',
    'x={date}',
    '',
    '/',
  );
  const path = fc.array(part, { maxLength: 6 }).map((parts) => parts.join('/'));

  test('leads every file of a result to a key of its own, with nothing left to fill in', () => {
    fc.assert(
      fc.property(path, fc.constantFrom(undefined, 'held-r7', 'try'), (key, aside) => {
        const keys = placed(key, aside);
        const files = ['companies', 'people', 'runs'].map(
          (table) => keys.file(table, `${table}.csv`).key,
        );
        const isFilled = files.every((file) => !/[{}]|\/\/|^\/|\/$/.test(file));
        const fixed = fixedFolder({ bucket: 'b', key }, values).key;
        const isBelow = files.every((file) => fixed === '' || file.startsWith(`${fixed}/`));
        const isAside = aside === undefined || files.every((file) => file.includes(`${aside}/`));
        return new Set(files).size === 3 && isFilled && isBelow && isAside;
      }),
    );
  });
});

describe('the address of an object', () => {
  test('is read as it is shown', () => {
    const bucket = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{1,40}$/);
    const key = fc
      .string({ unit: 'grapheme', maxLength: 60 })
      .filter((text) => !/\p{Cc}|\p{Cs}/u.test(text));
    fc.assert(
      fc.property(bucket, key, (name, path) => {
        const read = readObjectAddress(showObjectAddress({ bucket: name, key: path }));
        return read?.bucket === name && read.key === path;
      }),
    );
  });

  test('is nothing else', () => {
    for (const text of [
      'leads.csv',
      's3:',
      's3://',
      's3:///key',
      's3://b',
      's3://user:password@bucket/key',
      's3://bucket:9000/key',
      'https://bucket.s3.amazonaws.com/key',
      's3://bucket/line\nbreak',
      `s3://bucket/${'k'.repeat(1_025)}`,
    ]) {
      expect(readObjectAddress(text), text).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = readObjectAddress(text);
        return read === undefined || /^s3:\/\/./i.test(text);
      }),
    );
  });
});
