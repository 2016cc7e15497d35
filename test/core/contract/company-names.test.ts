import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readNames } from '../../../src/core/contract/company-names.ts';
import { nameNetwork } from '../../../src/core/contract/network-name.ts';

test('identifiers are the same before and after nameNetwork', () => {
  const holder = fc.dictionary(fc.constantFrom('network', 'linkedin', 'abn'), fc.jsonValue());
  const answer = fc.record(
    { network: fc.jsonValue(), linkedin: fc.jsonValue() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(answer, fc.oneof(holder, fc.jsonValue()), (company, social) => {
      const given = { ...company, social_media: social };
      expect(readNames(given)).toEqual(readNames(nameNetwork(given)));
    }),
  );
});
