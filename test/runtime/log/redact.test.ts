import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, createSecretSearch } from '../../../src/runtime/log/redact.ts';

const key = 'k/y+12=34 "x"';

test.each([
  ['as it is', key],
  ['as a URL carries it', encodeURIComponent(key)],
  ['as JSON carries it', JSON.stringify(key)],
  ['in Base64', Buffer.from(key).toString('base64')],
  ['in Base64 for URLs', Buffer.from(key).toString('base64url')],
])('takes out a secret %s', (_form, text) => {
  const clean = createRedactor([key])(`before ${text} after`);
  expect(clean).toMatch(/^before "?\[redacted\](=*"?) after$/);
});

test.each([
  [
    'Base64 within JSON',
    (key: string) => Buffer.from(key).toString('base64').replaceAll('/', '\\/'),
  ],
  ['hexadecimal', (key: string) => Buffer.from(key).toString('hex')],
  ['small percent signs', (key: string) => encodeURIComponent(key).toLowerCase()],
  ['the JSON of PHP', (key: string) => JSON.stringify({ key }).replaceAll('/', '\\/')],
  [
    'the JSON of Go',
    (key: string) => JSON.stringify(key).replaceAll('+', '\\u002b').replaceAll('=', '\\u003D'),
  ],
  [
    'escapes of all its letters',
    (key: string) => key.replaceAll(/./g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
  ],
  ['an escape of one letter', (key: string) => key.replace('L', '\\u004C')],
  ['JSON within JSON', (key: string) => key.replace('L', '\\\\u004c')],
  ['the name of a host', (key: string) => new URL(`http://${key.replaceAll(/\W/g, '')}.com`).host],
])('takes out a secret in %s', (_form, encode) => {
  const key = 'sk/Live+9f=8Qz7';
  const plain = key.replaceAll(/\W/g, '');
  const clean = createRedactor([key, plain])(`before ${encode(key)} after`);
  // What stood around it may stay, encoded as it was.
  expect(clean).toMatch(/^before .{0,14}\[redacted\].{0,10} after$/);
});

test('no text keeps a secret, wherever it stands', () => {
  const secret = fc.string({ minLength: 8 }).filter((text) => !'[redacted]'.includes(text));
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (hidden, before, after) => {
      fc.pre(!`${before}[redacted]${after}`.includes(hidden));
      expect(createRedactor([hidden])(before + hidden + after)).not.toContain(hidden);
    }),
  );
});

test('without a secret nothing is changed', () => {
  expect(createRedactor([''])('a text')).toBe('a text');
});

describe('looking for a secret', () => {
  const encodings: ((secret: string) => string)[] = [
    (secret) => secret,
    (secret) => secret.toLowerCase(),
    (secret) => encodeURIComponent(secret.toWellFormed()).toLowerCase(),
    (secret) => JSON.stringify(secret),
    (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
    (secret) => Buffer.from(secret).toString('base64url'),
    (secret) => secret.slice(1),
    (secret) => secret.replaceAll(/[a-z]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
    (secret) => secret.replace(/[A-Z0-9]/, (sign) => `\\\\u00${sign.charCodeAt(0).toString(16)}`),
  ];

  const isFound = (secret: string, text: string) => createSecretSearch(secret)(Buffer.from(text));

  test('finds whatever a redactor would take out', () => {
    const secret = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.string({ unit: fc.constantFrom(...'aB3-+/=é '), minLength: 1 }),
    );
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(secret, fc.constantFrom(...encodings), text, text, (hidden, encode, a, b) => {
        // As it is when it comes back from the wire: what is no letter has become one.
        const held = (a + encode(hidden) + b).toWellFormed();
        if (isFound(hidden, held)) return;
        expect(createRedactor([hidden])(held)).toBe(held);
      }),
      { numRuns: 5_000 },
    );
  });

  test('finds nothing in a text whose signs and accents are escaped', () => {
    expect(isFound('my-key-8Qz7', 'caf\\u00e9 \\u0026 \\u003cb\\u003e 8Qz')).toBe(false);
  });

  test('finds nothing in a text that shares a few letters with it', () => {
    expect(isFound('my-key-8Qz7', 'my key is 8Qz')).toBe(false);
  });

  test('finds a secret without letters and digits everywhere, to be on the safe side', () => {
    expect(isFound('-+-+', 'any text')).toBe(true);
  });
});
