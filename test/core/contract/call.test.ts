import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalCall, parseCall } from '../../../src/core/contract/call.ts';
import { identifierKinds } from '../../../src/core/contract/identifier-kinds.ts';

test('a lookup is written with its country and its parameters in order', () => {
  const identifier = { kind: 'fqdn', value: 'acme.com.au' } as const;
  expect(canonicalCall({ operation: 'company', identifier, country: 'NZ' })).toBe(
    'company?country=NZ&fqdn=acme.com.au',
  );
});

test('a search without a country asks the same as one for the default country', () => {
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

test('two values that differ never share a call', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(text, text, (one, other) => {
      fc.pre(one !== other);
      const [first, second] = [one, other].map((value) =>
        canonicalCall({
          operation: 'company',
          identifier: { kind: 'website', value },
          country: 'AU',
        }),
      );
      expect(first).not.toBe(second);
    }),
  );
});

test('a lookup is written as a query, and read back as it was, whatever its value holds', () => {
  const value = fc.oneof(fc.domain(), fc.webUrl(), fc.string({ unit: 'grapheme', minLength: 1 }));
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
