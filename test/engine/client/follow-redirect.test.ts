import { expect, test } from 'vitest';
import { followRedirect } from '../../../src/engine/client/make-attempt.ts';

const get = {
  method: 'GET',
  origin: 'https://api.example.com',
  path: '/v1/company?fqdn=a.com',
  headers: { authorization: 'Bearer k' },
} as const;
const post = { ...get, method: 'POST', body: '{}' } as const;

const step = (request: typeof get | typeof post, status: number, location?: string) =>
  followRedirect(request, { status, headers: { location }, body: Buffer.alloc(0) });

test('a lookup follows every redirect to another path, a search only those that keep its body', () => {
  for (const status of [200, 300, 304]) expect(step(get, status, '/x')).toBeUndefined();
  const followed = { ...get, path: '/v2/company?x=1' };
  for (const status of [301, 302, 303, 307, 308]) {
    expect(step(get, status, '/v2/company?x=1#top')).toEqual(followed);
    if (status < 307) expect(step(post, status, '/x')).toMatch(/^HTTP /);
    else expect(step(post, status, `${post.origin}/x`)).toEqual({ ...post, path: '/x' });
  }
});

test.each([
  undefined,
  'https://evil.example.com/v1/company',
  'http://api.example.com/v1/company',
  '//evil.example.com/',
  'https://api.example.com@evil.example.com/',
])('the key does not travel to %s', (location) => {
  expect(step(get, 307, location)).toMatch(/^HTTP /);
});
