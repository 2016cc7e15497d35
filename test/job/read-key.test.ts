import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { readKey } from '../../src/job/read-address.ts';

test('a key does not show when it is printed, logged or written', () => {
  const key = readKey({ from: 'environment', name: 'K' }, { K: 's3cret' });
  const shown = [
    JSON.stringify({ key }),
    inspect({ key }, { depth: 9, showHidden: true }),
    `${key}`,
  ];
  for (const text of shown) expect(text).not.toContain('s3cret');
});

test('a key that is too short to redact causes a warning that does not show it', () => {
  const source = { from: 'environment', name: 'K' } as const;
  const warning = readKey(source, { K: 's3cret7' })?.warning;
  expect(warning).toMatch(/^the key has fewer than 8 characters/);
  expect(warning).not.toContain('s3cret7');
  expect(readKey(source, { K: 's3cret78' })?.warning).toBeUndefined();
});

test.each([undefined, '', ' \n'])('a variable that holds %j holds no key', (value) => {
  expect(() => readKey({ from: 'environment', name: 'K' }, { K: value })).toThrow(
    expect.objectContaining({
      code: 'KEY_MISSING',
      message: expect.stringContaining('K holds no'),
    }),
  );
});

test('a text that cannot be a key is refused and not repeated', () => {
  const read = () => readKey({ from: 'environment', name: 'K' }, { K: 'one\ns3cret' });
  expect(read).toThrow(expect.objectContaining({ code: 'KEY_MISSING' }));
  expect(read).not.toThrow('s3cret');
});
