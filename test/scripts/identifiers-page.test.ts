import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { identifiersPage } from '../../scripts/docs/identifiers.ts';

test('docs/identifiers.md says what the parsers do today', () => {
  expect(readFileSync('docs/identifiers.md', 'utf8')).toBe(identifiersPage());
});
