import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildRequests } from '../../../../src/engine/providers/company-data/build-request.ts';

const baseUrl = new URL('https://api.example.com/v1//');
const { requestFor: build } = buildRequests({ baseUrl, key: 'k', headers: {} });

test('an identifier survives its way through the address', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      const identifier = { kind: 'ln_url', value } as const;
      const { origin, path } = build({ operation: 'company', identifier, country: 'NZ' });
      const url = new URL(origin + path);
      expect(url.pathname + url.search).toBe(path);
      expect([...url.searchParams]).toEqual([
        ['ln_url', value],
        ['country', 'NZ'],
      ]);
      expect(url.pathname).toBe('/v1/company');
    }),
  );
});

test('half a character does not break the request', () => {
  const identifier = { kind: 'website', value: 'a\uD800b' } as const;
  const { path } = build({ operation: 'company', identifier, country: 'AU' });
  expect(path).toBe('/v1/company?website=a%EF%BF%BDb&country=AU');
});
