import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRateLimits } from '../../../../src/engine/client/judge/read-rate-limits.ts';

const wallMs = Date.parse('2026-08-22T00:00:00Z');

test.each([
  [{ 'ratelimit-policy': '"a, b;w=3";q=600;w=60;pk=:cHsdsRa894==:' }, [[600, 60]], undefined],
  [
    { 'ratelimit-policy': '10;w=1, 50;w=60;burst=1000' },
    [
      [10, 1],
      [50, 60],
    ],
    undefined,
  ],
  [{ 'ratelimit-policy': '"bytes";q=65535;w=1;qu="content-bytes"' }, undefined, undefined],
  [{ ratelimit: '"a";r=50;t=30, "b";r=2;t=60' }, [], [2, 60]],
  [{ 'ratelimit-policy': '"a";q=9;w=60', ratelimit: '"a";r=0' }, [[9, 60]], [0, 60]],
  [{ ratelimit: 'limit=100, remaining=50, reset=5' }, [], [50, 5]],
  [
    { 'ratelimit-limit': '100, 100;w=10', 'ratelimit-remaining': '7', 'ratelimit-reset': '3' },
    [[100, 10]],
    [7, 3],
  ],
  [{ 'x-ratelimit-remaining': '4', 'x-ratelimit-reset': `${wallMs + 20_000}` }, [], [4, 20]],
  [
    {
      'x-ratelimit-remaining': '4',
      'x-ratelimit-reset': `${wallMs / 1_000 + 620}`,
      date: 'Sat, 22 Aug 2026 00:10:00 GMT',
    },
    [],
    [4, 20],
  ],
  // The time of the reset is past, so nothing is known of the quota that began then.
  [
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${wallMs / 1_000 - 5}` },
    undefined,
    undefined,
  ],
  [{ ratelimit: '"default";r=50' }, undefined, undefined],
  [{ 'ratelimit-policy': '"default";q=0;w=10' }, undefined, undefined],
  [{ 'ratelimit-policy': '"default";q=-1;w=1e9' }, undefined, undefined],
  [{ 'x-ratelimit-remaining': 'none', 'x-ratelimit-reset': 'NaN' }, undefined, undefined],
])('reads %j', (headers, policies, left) => {
  const limits = readRateLimits(headers, wallMs);
  expect(limits?.policies.map(({ quota, windowS }) => [quota, windowS])).toEqual(policies);
  expect(limits?.left && [limits.left.remaining, limits.left.resetS]).toEqual(left);
});

test('whatever a header holds, it gives sound numbers or nothing', () => {
  const pieces = '" a ; , = q=1 w=60 r=0 t=1 reset= 9 - . \\'.split(' ');
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string()))
    .map((all) => all.join(''));
  const names = ['ratelimit', 'ratelimit-policy', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
  const headers = fc.record(Object.fromEntries(names.map((name) => [name, text])), {
    requiredKeys: [],
  });
  fc.assert(
    fc.property(headers, (given) => {
      const { policies = [], left = { remaining: 0, resetS: 1 } } =
        readRateLimits(given, wallMs) ?? {};
      const sound = (number: number) => Number.isFinite(number) && number > 0;
      return (
        policies.every(({ quota, windowS }) => sound(quota) && sound(windowS)) &&
        sound(left.resetS) &&
        Number.isFinite(left.remaining) &&
        left.remaining >= 0
      );
    }),
    { numRuns: 200 },
  );
});

test('a member that is not well formed is left out, and the others are read', () => {
  const bad = ['"a";q=;w=1', '"a";q=-1;w=1', '"a" "b"', ';w=1', '', 'a==b', '"a";q=1e9', '=5'];
  for (const one of bad) {
    const headers = { 'ratelimit-policy': `${one}, "c";q=9;w=9`, ratelimit: '"a";r=5;t=30' };
    expect(readRateLimits(headers, wallMs)?.left).toEqual({ remaining: 5, resetS: 30 });
    expect(readRateLimits({ 'ratelimit-policy': `"c";q=9;w=9, ${one}` }, wallMs)).toEqual({
      policies: [{ quota: 9, windowS: 9 }],
    });
  }
});
