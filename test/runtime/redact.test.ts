import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '../../src/runtime/redact.ts';

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
