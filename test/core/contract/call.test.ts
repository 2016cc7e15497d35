import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callText, parseCall } from '../../../src/core/contract/call.ts';
import { identifierKinds } from '../../../src/core/contract/identifier-kinds.ts';

test('a people search is written as version 0.9.0 wrote it, and read back unchanged', () => {
  const page = { operation: 'people', companyId: '7', country: 'NZ', from: 20, size: 50 } as const;
  expect(callText(page)).toBe('people?companyId=7&from=20&selectedCountry=NZ&size=50');
  const filtered = { ...page, position: 'Head of A & B', seniority: '3', department: '1' };
  expect(callText(filtered)).toBe(
    'people?companyId=7&department=1&from=20&position=Head+of+A+%26+B&selectedCountry=NZ&seniority=3&size=50',
  );
  for (const call of [page, filtered]) expect(parseCall(callText(call))).toEqual(call);
});

test('a lookup is written as a query and read back unchanged, whatever its value', () => {
  const value = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(fc.constantFrom(...identifierKinds), value, (kind, text) => {
      const identifier = { kind, value: text.toWellFormed() };
      const call = { operation: 'company', identifier, country: 'AU' } as const;
      const query = new URLSearchParams({ country: 'AU', [kind]: identifier.value });
      query.sort();
      expect(callText(call)).toBe(`company?${query}`);
      expect(parseCall(callText(call))).toEqual(call);
    }),
  );
});
