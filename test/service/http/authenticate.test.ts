import fc from 'fast-check';
import { expect, test } from 'vitest';
import { authenticateBy } from '../../../src/service/build-service.ts';

const visible = fc.stringMatching(/^[\x21-\x7e]{1,40}$/);

test('each key is accepted, and nothing else is', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(visible, { minLength: 1, maxLength: 4 }),
      fc.string(),
      (keys, guess) => {
        const authenticate = authenticateBy(keys);
        for (const [index, key] of keys.entries()) {
          expect(authenticate(`Bearer ${key}`)).toBe(index);
          const others = [
            `${key}x`,
            key.slice(0, -1),
            `${key}${key}`,
            guess,
            `${key}\0`,
            `${key}é`,
          ];
          for (const other of others) {
            if (keys.includes(other.trim())) continue;
            expect(() => authenticate(`Bearer ${other}`)).toThrow();
          }
        }
      },
    ),
  );
});

test('characters that equal a key only when cut to one byte are refused', () => {
  const authenticate = authenticateBy(['J']);
  expect(() => authenticate('Bearer \u014a')).toThrow();
  expect(authenticate('Bearer J')).toBe(0);
});
