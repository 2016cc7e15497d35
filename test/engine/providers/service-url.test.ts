import { expect, test } from 'vitest';
import { isServiceUrl, readServiceUrl } from '../../../src/engine/providers/service-url.ts';

test.each([
  ['embedded', true],
  ['https://data.example.com', true],
  ['https://data.example.com?', true],
  ['ftp://example.com', false],
  ['https://user:word@example.com', false],
  ['https://example.com/?key=1', false],
  ['https://example.com/#top', false],
])('%j is a service address: %s', (url, isOne) => expect(isServiceUrl(url)).toBe(isOne));

test.each([
  'https://data.example.com/v1/',
  'https://data.example.com/v1?',
  'https://data.example.com/v1/#',
  'HTTPS://DATA.Example.com:443/v1',
  'https://data.example.com./v1',
  'https://data.example.com.:443//v1//',
  'https://data.example.com/x/../%761',
  ' https:\\\\data.example.com\\v1 ',
])('%j is a spelling of https://data.example.com/v1', (written) => {
  const { url, formerUrl = url } = readServiceUrl(written);
  expect(url).toBe('https://data.example.com/v1');
  expect(readServiceUrl(formerUrl).url).toBe(url);
});

test.each([
  'embedded',
  'http://localhost:8080',
  'http://[::1]:8080/V1',
  'https://data.example.com/a%2Fb',
])('%s stays as version 0.9.0 stored it', (written) =>
  expect(readServiceUrl(written)).toEqual({ url: written }),
);

test.each([
  ['http://localhost?', 'http://localhost', 'http://localhost/?'],
  ['http://localhost./', 'http://localhost', 'http://localhost.'],
  ['http://localhost//v1', 'http://localhost/v1', 'http://localhost//v1'],
  ['http://localhost/%7ev%2f1', 'http://localhost/~v%2F1', 'http://localhost/%7ev%2f1'],
])('%s becomes %s, which version 0.9.0 stored as %s', (written, url, formerUrl) =>
  expect(readServiceUrl(written)).toEqual({ url, formerUrl }),
);
