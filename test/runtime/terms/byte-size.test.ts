import { expect, test } from 'vitest';
import { parseByteSize } from '../../../src/runtime/terms/byte-size.ts';

test.each([
  ['512KB', 512_000],
  ['256MB', 256_000_000],
  ['1.5 GB', 1_500_000_000],
  ['1TB', 1_000_000_000_000],
  ['256', undefined],
  ['256 mb', undefined],
  ['MB', undefined],
  ['-1MB', undefined],
  ['99999999999TB', undefined],
])('%s is %s bytes', (text, bytes) => expect(parseByteSize(text)).toBe(bytes));
