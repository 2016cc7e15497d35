import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createRequestBuilder,
  parseBaseUrl,
  parseKey,
} from '../../../../src/engine/client/wire/build-request.ts';

const build = createRequestBuilder(new URL('https://api.example.com/v1//'), 'k');

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

describe('the address of the service', () => {
  test.each(['http://127.0.0.1:8080', 'https://api.example.com/v1/'])('%s is taken', (text) => {
    expect(parseBaseUrl(text).href).toContain(text);
  });

  test.each(['', 'api.example.com', 'ftp://api.example.com', 'localhost:8080', 'embedded'])(
    '%j is refused',
    (text) =>
      expect(() => parseBaseUrl(text)).toThrow(
        expect.objectContaining({ code: 'SERVICE_MISSING' }),
      ),
  );
});

describe('the key', () => {
  test('loses the line feed of its file', () => expect(parseKey('abc-123\n')).toBe('abc-123'));

  test.each(['', ' \n', 'a b', 'a\nb', 'clé'])('%j is refused and not repeated', (text) => {
    const refusal = expect.objectContaining({
      code: 'KEY_REFUSED',
      message: expect.stringMatching(/^the key of the service (is empty|holds characters)/),
    });
    expect(() => parseKey(text)).toThrow(refusal);
  });
});
