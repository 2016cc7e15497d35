import { expect, test } from 'vitest';
import { keysBelow, otherWords, suggestKey } from '../../../src/job/file/describe-issue.ts';
import { jobKeys } from '../../../src/job/job-json-schema.ts';

test.each([
  [[], 'servcie', 'service'],
  [[], 'rate', 'limits.rate'],
  [[], 'max_calls', 'budget.perStart'],
  [['limits'], 'maxCalls', 'budget.perStart'],
  [[], 'concurency', 'limits.concurrency'],
  [['limits'], 'Rate', 'limits.rate'],
  [['limits'], 'retries', 'limits.attempts'],
  [['identify', 0], 'colum', 'identify[].column'],
  [['people'], 'titles', 'people.position'],
  [['service'], 'api-key', 'service.key'],
])('below %j, %s probably means %s', (parent, unknown, meant) => {
  expect(suggestKey(parent, unknown)).toBe(meant);
});

test('a word that resembles no key has no suggestion', () => {
  expect(suggestKey([], 'frobnicate')).toBeUndefined();
});

test('keys of other tools lead to keys that exist, and are no keys of a job', () => {
  const keys = jobKeys();
  for (const [word, key] of Object.entries(otherWords)) {
    expect(keys).toContain(key);
    expect(keys.map((known) => known.split('.').at(-1)?.toLowerCase())).not.toContain(word);
  }
});

test('the keys of a group are its own only', () => {
  expect(keysBelow(['reuse'])).toEqual([
    ...['reuse.companies', 'reuse.misses', 'reuse.people', 'reuse.spread', 'reuse.staleOnFailure'],
  ]);
  expect(keysBelow(['identify', 3])).toEqual(['identify[].column', 'identify[].as']);
  expect(keysBelow([])).toContain('limits');
});
