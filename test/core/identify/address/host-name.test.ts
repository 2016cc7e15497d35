import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isIpAddress, isWellFormed, toHostName } from '../../../../src/core/identify/address.ts';

test.each([
  ['ACME.com.', 'acme.com'],
  ['.acme.com', 'acme.com'],
  ['Straße.de', 'xn--strae-oqa.de'],
  ['XN--MLLER-KVA.de', 'xn--mller-kva.de'],
  ['a_b.acme.com', 'a_b.acme.com'],
  ['0x7f.1', '127.0.0.1'],
  ['::1', '[::1]'],
  ['no.1', null],
  ['acme com', null],
  ['acme.com/x', null],
])('%j is the host %j', (written, host) => expect(toHostName(written)).toBe(host));

test('IP addresses are told from host names', () => {
  expect(['127.0.0.1', '[::1]'].every(isIpAddress)).toBe(true);
  expect(['1.2.3.4.com', 'acme.com', '1.2.3'].some(isIpAddress)).toBe(false);
});

test('labels have one to 63 letters, digits or inner hyphens, and 253 characters in all', () => {
  const longest = `${'a'.repeat(63)}.`.repeat(3);
  expect(isWellFormed(`${longest}${'a'.repeat(61)}`)).toBe(true);
  expect(isWellFormed(`${longest}${'a'.repeat(62)}`)).toBe(false);
  for (const host of ['-a.com', 'a-.com', 'a..com', '', 'a!.com', `${'a'.repeat(64)}.com`]) {
    expect(isWellFormed(host), host).toBe(false);
  }
});

test('a host is well-formed when each of its labels is', () => {
  const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
  const part = fc.oneof(
    fc.constantFrom('.', '-', '_', 'A', '\n', ''),
    fc.stringMatching(/^[a-z]+$/),
  );
  const host = fc.array(fc.oneof(part, fc.constant('a'.repeat(62))), { maxLength: 9 });
  fc.assert(
    fc.property(host, (parts) => {
      const text = parts.join('');
      const isEachWellFormed = text.split('.').every((each) => label.test(each));
      expect(isWellFormed(text)).toBe(text.length <= 253 && isEachWellFormed);
    }),
    { numRuns: 2_000 },
  );
});
