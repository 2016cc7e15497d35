import { expect, test } from 'vitest';
import { isEncoding, isServiceUrl } from '../../../src/job/schema/fields.ts';

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
