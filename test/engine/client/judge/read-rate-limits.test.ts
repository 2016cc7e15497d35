import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRateLimits } from '../../../../src/engine/client/judge/read-rate-limits.ts';

test.each([
  [{ 'ratelimit-policy': '"a, b;w=3";q=600;w=60;pk=:cHsdsRa894==:' }, [[600, 60]], undefined],
  [
    { 'ratelimit-policy': '"burst";q=100;w=1, "daily";q=10000;w=86400' },
    [
      [100, 1],
      [10_000, 86_400],
    ],
    undefined,
  ],
  [{ 'ratelimit-policy': '"bytes";q=65535;w=1;qu="content-bytes"' }, undefined, undefined],
  [{ ratelimit: '"a";r=50;t=30, "b";r=2;t=60' }, [], [2, 60]],
  [{ 'ratelimit-policy': '"a";q=9;w=60', ratelimit: '"a";r=0' }, [[9, 60]], [0, 60]],
  [{ ratelimit: '"default";r=50' }, undefined, undefined],
  [{ 'ratelimit-policy': '"default";q=0;w=10' }, undefined, undefined],
  [{ 'ratelimit-policy': '"default";q=-1;w=1e9' }, undefined, undefined],
])('reads %j', (headers, policies, left) => {
  const limits = readRateLimits(headers);
  expect(limits?.policies.map(({ quota, windowS }) => [quota, windowS])).toEqual(policies);
  expect(limits?.left && [limits.left.remaining, limits.left.resetS]).toEqual(left);
});

test('whatever a header holds, it gives sound numbers or nothing', () => {
  const pieces = '" a ; , = q=1 w=60 r=0 t=1 9 - . \\'.split(' ');
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string()))
    .map((all) => all.join(''));
  const names = ['ratelimit', 'ratelimit-policy'];
  const headers = fc.record(Object.fromEntries(names.map((name) => [name, text])), {
    requiredKeys: [],
  });
  fc.assert(
    fc.property(headers, (given) => {
      const { policies = [], left = { remaining: 0, resetS: 1 } } = readRateLimits(given) ?? {};
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
    expect(readRateLimits(headers)?.left).toEqual({ remaining: 5, resetS: 30 });
    expect(readRateLimits({ 'ratelimit-policy': `"c";q=9;w=9, ${one}` })).toEqual({
      policies: [{ quota: 9, windowS: 9 }],
    });
  }
});
