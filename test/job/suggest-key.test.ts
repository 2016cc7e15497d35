import { expect, test } from 'vitest';
import { jobKeys } from '../../src/job/job-json-schema.ts';
import { keysBelow, otherWords, suggestKey } from '../../src/job/suggest-key.ts';

test.each([
  [[], 'servcie', 'service'],
  [[], 'rate', 'limits.rate'],
  [[], 'max_calls', 'limits.maxCalls'],
  [[], 'concurency', 'limits.concurrency'],
  [['limits'], 'Rate', 'limits.rate'],
  [['limits'], 'retries', 'limits.attempts'],
  [['identify', 0], 'colum', 'identify[].column'],
  [['people'], 'titles', 'people.position'],
  [['service'], 'api-key', 'service.key'],
])('below %j, %s probably means %s', (parent, unknown, meant) => {
  expect(suggestKey(parent, unknown)).toBe(meant);
});

test('a word like no other has no suggestion', () => {
  expect(suggestKey([], 'frobnicate')).toBeUndefined();
});

test('the words of other tools lead to keys that exist, and are no keys themselves', () => {
  const keys = jobKeys();
  for (const [word, key] of Object.entries(otherWords)) {
    expect(keys).toContain(key);
    expect(keys.map((known) => known.split('.').at(-1)?.toLowerCase())).not.toContain(word);
  }
});

test('the keys of a group are its own only', () => {
  expect(keysBelow(['reuse'])).toEqual(['reuse.companies', 'reuse.misses', 'reuse.people']);
  expect(keysBelow(['identify', 3])).toEqual(['identify[].column', 'identify[].as']);
  expect(keysBelow([])).toContain('limits');
});
