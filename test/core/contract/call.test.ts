import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalCall, parseCall } from '../../../src/core/contract/call.ts';
import { identifierKinds } from '../../../src/core/contract/identifier-kinds.ts';

test('a search without a country equals one for the default country', () => {
  const body = { companyId: '7', from: '0', size: '50' };
  expect(canonicalCall({ operation: 'people', body })).toBe(
    canonicalCall({ operation: 'people', body: { ...body, selectedCountry: 'AU' } }),
  );
});

test('the order in which a search names its filters does not matter', () => {
  const body = fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { noNullPrototype: true });
  fc.assert(
    fc.property(body, (filters) => {
      const turned = Object.fromEntries(Object.entries(filters).reverse());
      expect(canonicalCall({ operation: 'people', body: turned })).toBe(
        canonicalCall({ operation: 'people', body: filters }),
      );
    }),
  );
});

test('a lookup is written as a query and read back unchanged, whatever its value', () => {
  const value = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(fc.constantFrom(...identifierKinds), value, (kind, text) => {
      const identifier = { kind, value: text.toWellFormed() };
      const call = { operation: 'company', identifier, country: 'AU' } as const;
      const query = new URLSearchParams({ country: 'AU', [kind]: identifier.value });
      query.sort();
      expect(canonicalCall(call)).toBe(`company?${query}`);
      expect(parseCall(canonicalCall(call))).toEqual(call);
    }),
  );
});
