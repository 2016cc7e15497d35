import { expect, test } from 'vitest';
import { isEncoding } from '../../../src/job/schema/fields.ts';

test.each([
  ['utf-8', true],
  ['Latin1', true],
  ['utf-9', false],
])('%s is an encoding: %s', (label, isOne) => expect(isEncoding(label)).toBe(isOne));
