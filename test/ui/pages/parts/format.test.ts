import { expect, test } from 'vitest';
import { formatBytes, formatMinute } from '../../../../src/core/values/format.ts';
import { localTime, percent } from '../../../../src/ui/pages/parts/format.ts';

test.each([
  [0, 0, '–'],
  [0, 5, '0%'],
  [1, 3, '33.3%'],
  [5, 5, '100%'],
  [99_999, 100_000, '> 99.9%'],
  [1, 100_000, '< 0.1%'],
])('%d of %d is %s', (part, whole, text) => expect(percent(part, whole)).toBe(text));

test.each([
  [999, '999 bytes'],
  [1_000, '1.0 KB'],
  [201_905, '202 KB'],
  [1_211_966, '1.2 MB'],
])('%d bytes are %s', (value, text) => expect(formatBytes(value)).toBe(text));

test('times are on the clock of the viewer, and in UTC as the terminal writes them', () => {
  const at = '2026-08-22T04:12:09.113Z';
  expect(formatMinute(at)).toBe('2026-08-22 04:12 UTC');
  const zone = process.env.TZ;
  process.env.TZ = 'Australia/Sydney';
  expect(localTime(at)).toBe('2026-08-22 14:12');
  process.env.TZ = zone;
});
