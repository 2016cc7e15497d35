import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noRepeats, openUniqueKeys } from '../../../../src/run/list/key/unique-keys.ts';

test('later rows of a key are numbered, and the first two rows of the first such key are told', () => {
  const { keys, repeats } = take(['7', '42', '8', '42', '7', '42']);
  expect(keys).toEqual(['7', '42', '8', '42#2', '7#2', '42#3']);
  expect(repeats).toEqual({ rows: 3, first: { key: '42', numbers: [2, 4] } });
});

test('a key that looks like a numbered one keeps others from its number', () => {
  expect(take(['42#2', '42', '42', '42']).keys).toEqual(['42#2', '42', '42#3', '42#4']);
  expect(take(['42', '42', '42#2']).keys).toEqual(['42', '42#2', '42#2#2']);
});

test('whatever the keys are, no two rows have the same, and only repeats are numbered', () => {
  const key = fc.oneof(
    fc.constantFrom('', 'a', 'b', 'a#2', 'a#3', 'a#2#2', 'b#'),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (given) => {
      const { keys, repeats } = take(given);
      const numbered = keys.filter((taken, index) => taken !== given[index]);
      return (
        new Set(keys).size === keys.length &&
        repeats.rows === numbered.length &&
        keys.every((taken, index) => /^(?:#\d+)?$/.test(taken.slice(given[index]?.length)))
      );
    }),
  );
});

test('rows of a long list are told apart as those of a short one, and one key may have all of them', () => {
  const numbers = Array.from({ length: 40_000 }, (_, index) => String(index));
  const { keys, repeats } = take([...numbers, ...numbers]);
  expect(keys).toEqual([...numbers, ...numbers.map((number) => `${number}#2`)]);
  expect(repeats).toEqual({ rows: 40_000, first: { key: '0', numbers: [1, 40_001] } });
  expect(take(numbers.map(() => 'one')).keys.at(-1)).toBe('one#40000');
});

function take(given: readonly string[]) {
  const unique = openUniqueKeys();
  const repeats = noRepeats();
  const keys = given.map((key, index) => unique.take(key, index + 1, repeats));
  return { keys, repeats };
}
