import { expect, test } from 'vitest';
import { identifierKinds } from '../../../src/core/contract/identifier-kinds.ts';
import { acceptedFamilies } from '../../../src/core/identify/accepted.ts';
import { identifyCell } from '../../../src/core/identify/identify-cell.ts';

const examples = acceptedFamilies.flatMap((family) => family.examples);

test.each(examples)('$input as $as is $kind $value', ({ input, as, kind, value }) => {
  expect(identifyCell(input, as)).toMatchObject({ kind, value });
});

test('every kind of identifier is shown', () => {
  expect(new Set(examples.map(({ kind }) => kind))).toEqual(new Set(identifierKinds));
});
