import { expect, test } from 'vitest';
import { merge } from '../../src/cli/ledger.ts';
import { rendered } from '../support/rendered.ts';

test('a merge tells one answer and many in words that fit', () => {
  const facts = { ledger: 'a.db', from: 'b.db', taken: 1, known: 1, mended: 1, damaged: 1 };
  expect(rendered(merge, facts)).toContain(
    '1 was known; 1 damaged one is whole again; 1 is damaged there and was left out.',
  );
  const many = { ...facts, known: 1_200, mended: 0, damaged: 2 };
  expect(rendered(merge, many)).toContain(
    '; 1,200 were known; 2 are damaged there and were left out.',
  );
});
