import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clipText, openCounter } from '../../../src/sinks/tally/counter.ts';

test('a name that is the name of something in JavaScript is a name like any other', () => {
  const counter = openCounter();
  for (const name of ['__proto__', 'constructor', '__proto__']) counter.add(name);
  expect(counter.facts().names).toEqual([
    ['__proto__', 2],
    ['constructor', 1],
  ]);
});

test('however many names come, few are kept and all are counted', () => {
  const counter = openCounter();
  for (let index = 0; index < 5_000; index += 1) counter.add(`industry ${index}`);
  counter.add('industry 0');
  const { names, others } = counter.facts();
  expect(names.length).toBe(2_000);
  expect(names[0]).toEqual(['industry 0', 2]);
  expect(others).toBe(3_000);
});

test('text is cut to its length and never through a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 12 }), (text, most) => {
      const clipped = clipText(text, most);
      expect(clipped.length).toBeLessThanOrEqual(most);
      expect(clipped.isWellFormed()).toBe(true);
      if (text.length <= most)
        expect(clipped).toBe(text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, ''));
    }),
  );
});

test('a name cannot turn around the direction of what stands beside it', () => {
  expect(clipText('\u202eacme\u2066', 9)).toBe('acme');
});
