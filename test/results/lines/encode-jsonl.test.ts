import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cell, FlatRecord } from '../../../src/core/columns/columns.ts';
import { jsonLine } from '../../../src/results/lines.ts';
import { arbitraryText } from '../../core/columns/arbitrary-answer.ts';

test('types and lists are kept, every key in the order of the columns', () => {
  const text = toJsonl(['b', '1', 'a', 'c', 'd'], [[1, 'x', ['y', 'z'], true, null]]);
  expect(text).toBe('{"b":1,"1":"x","a":["y","z"],"c":true,"d":null}\n');
});

test('half of a surrogate pair becomes the replacement character', () => {
  expect(toJsonl(['a\ud800'], [['x\udc00']])).toBe('{"a\ufffd":"x\ufffd"}\n');
});

test('a file without records is empty', () => {
  expect(toJsonl(['a'], [])).toBe('');
});

test('lines parse to the cells that were written', () => {
  const cell: fc.Arbitrary<Cell> = fc.oneof(
    arbitraryText(),
    fc.array(arbitraryText(), { maxLength: 3 }),
    fc.array(fc.integer(), { maxLength: 3 }),
    // JSON has one zero.
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
    fc.constant(null),
  );
  const record = fc.tuple(cell, cell, cell);
  fc.assert(
    fc.property(fc.array(record, { maxLength: 5 }), (records) => {
      const lines = toJsonl(['a', 'b', '__proto__'], records).split('\n');
      expect(lines.pop()).toBe('');
      expect(lines.map((line) => Object.values(JSON.parse(line)))).toEqual(
        records.map((cells) => cells.map(wellFormed)),
      );
    }),
    { numRuns: 300 },
  );
});

function wellFormed(cell: Cell): unknown {
  if (typeof cell === 'string') return cell.toWellFormed();
  return Array.isArray(cell) ? cell.map(wellFormed) : cell;
}

function toJsonl(names: readonly string[], records: readonly FlatRecord[]): string {
  return records.map(jsonLine(names.map((name) => ({ name })))).join('');
}
