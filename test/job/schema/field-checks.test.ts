import { expect, test } from 'vitest';
import { byteSize, isEncoding, isServiceUrl } from '../../../src/job/schema/fields.ts';

test.each([
  ['embedded', true],
  ['https://data.example.com', true],
  ['ftp://example.com', false],
  ['https://user:word@example.com', false],
  ['https://example.com/?key=1', false],
  ['https://example.com/#top', false],
])('%j is a service address: %s', (url, isOne) => expect(isServiceUrl(url)).toBe(isOne));

test.each([
  ['utf-8', true],
  ['Latin1', true],
  ['utf-9', false],
])('%s is an encoding: %s', (label, isOne) => expect(isEncoding(label)).toBe(isOne));

test.each([
  ['256MB', 256_000_000],
  ['1.5 GB', 1_500_000_000],
  ['1TB', 1_000_000_000_000],
  ['256', undefined],
  ['256 mb', undefined],
  ['99999999999TB', undefined],
])('%s is %s bytes', (text, bytes) =>
  expect(byteSize('1KB', '1TB').safeParse(text).data).toBe(bytes),
);
