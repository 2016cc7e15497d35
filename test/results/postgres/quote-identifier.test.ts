import { expect, test } from 'vitest';
import { quoteIdentifier } from '../../../src/results/postgres/warehouse-tables.ts';

test.each([
  ['row_key', 'row_key'],
  ['Order', '"Order"'],
  ['2nd', '"2nd"'],
  ['input_会社', '"input_会社"'],
  ['a "b"; drop table c', '"a ""b""; drop table c"'],
])('%j is written as %s', (name, written) => expect(quoteIdentifier(name)).toBe(written));
