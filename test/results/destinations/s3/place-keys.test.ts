import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readObjectAddress } from '../../../../src/platform/objects/object-address.ts';
import { placesOf } from '../../../../src/results/destinations/places.ts';
import { addressOf, objectIn } from '../../../../src/results/destinations/s3/show-result.ts';

const values = { job: 'lead-list', run: 'r7', date: '2026-08-22', isTrial: false };
const below = (key: string) => placesOf(`s3://bucket/${key}`, values);
const placed = (key: string, place: 'result' | 'held' = 'result') =>
  objectIn(addressOf(below(key)[place]), 'companies.csv').key;

describe('the path of a destination', () => {
  test.each([
    ['', 'companies.csv', 'latest.json'],
    ['out', 'out/companies.csv', 'out/latest.json'],
    ['out/{job}', 'out/lead-list/companies.csv', 'out/lead-list/latest.json'],
    ['{date}/{run}', '2026-08-22/r7/companies.csv', 'latest.json'],
    ['a/date={date}', 'a/date=2026-08-22/companies.csv', 'a/latest.json'],
  ])('%j puts companies at %s', (path, file, latest) => {
    expect(placed(path)).toBe(file);
    expect(objectIn(addressOf(below(path).fixed), 'latest.json').key).toBe(latest);
  });

  test('keeps held results out of the folders of published results', () => {
    expect(placed('out/date={date}', 'held')).toBe('out/held-r7/date=2026-08-22/companies.csv');
  });
});

describe('the address of an object', () => {
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
