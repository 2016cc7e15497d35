import { describe, expect, test } from 'vitest';
import { followRedirect } from '../../../src/engine/client/make-attempt.ts';

const get = {
  method: 'GET',
  origin: 'https://api.example.com',
  path: '/v1/company?fqdn=a.com',
  headers: { authorization: 'Bearer k' },
} as const;
const post = {
  ...get,
  method: 'POST',
  path: '/v1/people/search',
  body: '{}',
} as const;

function step(request: typeof get | typeof post, status: number, location?: string) {
  const headers = location === undefined ? {} : { location };
  return followRedirect(request, { status, headers, body: Buffer.alloc(0) });
}

test.each([200, 204, 300, 304, 400, 500])('%i is no redirect', (status) => {
  expect(step(get, status, '/elsewhere')).toBeUndefined();
});

test.each([301, 302, 303, 307, 308])('a lookup follows %i to another path', (status) => {
  expect(step(get, status, '/v2/company?x=1#top')).toMatchObject({
    method: 'GET',
    origin: 'https://api.example.com',
    path: '/v2/company?x=1',
  });
});

test.each([307, 308])('a search keeps its method and its body over %i', (status) => {
  expect(step(post, status, 'https://api.example.com/other')).toMatchObject({
    method: 'POST',
    body: '{}',
    headers: post.headers,
  });
});

test.each([301, 302, 303])('a search does not follow %i', (status) => {
  expect(step(post, status, '/other')).toMatch(/^HTTP /);
});

describe('the key stays at home', () => {
  test.each([
    'https://evil.example.com/v1/company',
    'https://api.example.com:8443/v1/company',
    'http://api.example.com/v1/company',
    '//evil.example.com/',
    'https://api.example.com@evil.example.com/',
    'https://api.example.com.evil.example.com/',
    'file:///etc/passwd',
  ])('%s is not followed', (location) => {
    expect(step(get, 307, location)).toMatch(/^HTTP /);
  });
});

test.each([undefined, 'http://['])('a redirect to %j is refused', (location) => {
  expect(step(get, 302, location)).toMatch(/^HTTP /);
});
