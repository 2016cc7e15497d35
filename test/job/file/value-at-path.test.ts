import { expect, test } from 'vitest';
import {
  isAcceptedAt,
  replaceAt,
  unquoted,
  valueAt,
} from '../../../src/job/file/describe-issue.ts';

const job = { name: 'x', input: { path: 'a' }, limits: { rate: 'fast' }, identify: ['abn'] };

test('a value is tried at its path, whatever is wrong elsewhere', () => {
  expect(isAcceptedAt(job, ['limits', 'rate'], 10)).toBe(true);
  expect(isAcceptedAt(job, ['limits', 'rate'], -1)).toBe(false);
  expect(isAcceptedAt({ ...job, typo: 1 }, ['limits', 'rate'], 10)).toBe(true);
  expect(isAcceptedAt(job, ['identify', 0], { column: 'abn' })).toBe(true);
});

test('leaving a value out is never accepted', () => {
  expect(isAcceptedAt(job, ['limits', 'rate'], undefined)).toBe(false);
});

test('a value is replaced in a copy', () => {
  const changed = replaceAt(job, ['identify', 0], 'acn');
  expect(valueAt(changed, ['identify', 0])).toBe('acn');
  expect(valueAt(job, ['identify', 0])).toBe('abn');
  expect(valueAt(job, ['identify', 7, 'column'])).toBeUndefined();
  expect(valueAt(job, ['toString'])).toBeUndefined();
});

test.each([
  ['10', 10],
  ['-0.5', -0.5],
  ['true', true],
  ['false', false],
  ['1e3', undefined],
  ['', undefined],
  ['ten', undefined],
])('%j without its quotes is %s', (text, value) => expect(unquoted(text)).toBe(value));
