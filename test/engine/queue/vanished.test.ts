import { expect, test } from 'vitest';
import { findVanished } from '../../../src/engine/queue/vanished.ts';

test.each([
  [5, 4, false],
  [5, 5, true],
  [10, 5, true],
  [3_000, 1_499, false],
  [3_000, 1_500, true],
])('of %i known companies %i that vanish are a reason to hold: %s', (known, missed, isHeld) => {
  const message = `vanished: ${missed.toLocaleString('en')} of ${known.toLocaleString('en')} known companies were not found this time`;
  expect(findVanished(known, missed).map((breach) => breach.message)).toEqual(
    isHeld ? [message] : [],
  );
});
