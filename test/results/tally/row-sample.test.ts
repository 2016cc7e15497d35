import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clipText } from '../../../src/results/tally/row-sample.ts';

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
