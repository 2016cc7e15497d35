import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, createSecretSearch } from '../../../src/core/values/redact.ts';
import { anyText } from '../../support/any-text.ts';

const key = 'sk/Live+9f=8Qz7 "é"';
const base64 = Buffer.from(key).toString('base64');
const hex = Buffer.from(key).toString('hex');

test.each([
  ['as it is', key],
  ['URL-encoded', encodeURIComponent(key)],
  [
    'URL-encoded in small letters',
    encodeURIComponent(key).replaceAll(/%../g, (one) => one.toLowerCase()),
  ],
  ['JSON-escaped', JSON.stringify(key).slice(1, -1)],
  ['JSON-escaped by PHP', JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/')],
  [
    'JSON-escaped by .NET',
    key.replaceAll('+', '\\u002B').replaceAll('"', '\\u0022').replace('é', '\\u00e9'),
  ],
  ['with a letter escaped as JSON may', key.replace('L', '\\u004C').replaceAll('"', '\\"')],
  ['in Base64', base64.replace(/=+$/, '')],
  ['in Base64 for URLs', base64.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_')],
  ['in hexadecimal', hex],
  ['in hexadecimal capitals', hex.toUpperCase()],
])('takes out a secret %s', (_form, text) => {
  expect(createRedactor([key])(`before ${text} after`)).toBe('before [redacted] after');
});

describe('looking for a secret', () => {
  const encodings: ((secret: string) => string)[] = [
    (secret) => secret,
    (secret) => encodeURIComponent(secret.toWellFormed()).toLowerCase(),
    (secret) => JSON.stringify(secret),
    (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
    (secret) => Buffer.from(secret).toString('base64url'),
    (secret) => secret.slice(1),
    (secret) => secret.replaceAll(/[a-z]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
  ];

  const isFound = (secret: string, text: string) => createSecretSearch(secret)(Buffer.from(text));

  test('finds whatever a redactor would take out', () => {
    const secret = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.string({ unit: fc.constantFrom(...'aB3-+/=é '), minLength: 1 }),
    );
    const text = fc.oneof(fc.string(), anyText());
    fc.assert(
      fc.property(secret, fc.constantFrom(...encodings), text, text, (hidden, encode, a, b) => {
        // As it is when it comes back from the wire: what is no letter has become one.
        const held = (a + encode(hidden) + b).toWellFormed();
        if (isFound(hidden, held)) return;
        expect(createRedactor([hidden])(held)).toBe(held);
      }),
      { numRuns: 150 },
    );
  });

  test('finds nothing in a text whose signs and accents are escaped', () => {
    expect(isFound('my-key-8Qz7', 'caf\\u00e9 \\u0026 \\u003cb\\u003e 8Qz')).toBe(false);
  });

  test('finds a secret without letters and digits everywhere, to be on the safe side', () => {
    expect(isFound('-+-+', 'any text')).toBe(true);
  });
});
