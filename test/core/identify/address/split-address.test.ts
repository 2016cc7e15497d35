import { expect, test } from 'vitest';
import { splitAddress } from '../../../../src/core/identify/address.ts';

test.each([
  ['https://acme.com:8080/a?b#c', { isUrl: true, host: 'acme.com', rest: '/a?b#c' }],
  ['acme.com', { isUrl: false, host: 'acme.com', rest: '' }],
  ['acme.com?x', { isUrl: false, host: 'acme.com', rest: '?x' }],
  ['http://http:/acme.com', { isUrl: true, host: 'acme.com', rest: '' }],
  ['\\\\acme.com\\x', { isUrl: true, host: 'acme.com', rest: '\\x' }],
  ['mailto:jane@acme.com', { isUrl: false, user: 'jane', host: 'acme.com', rest: '' }],
  ['https://a@b@acme.com/@x', { isUrl: true, user: 'a@b', host: 'acme.com', rest: '/@x' }],
  ['[::1]:80', { isUrl: false, host: '[::1]', rest: '' }],
  ['https.com', { isUrl: false, host: 'https.com', rest: '' }],
])('%j is split into its parts', (text, parts) => {
  expect(splitAddress(text)).toEqual({ user: undefined, ...parts });
});

test.each(['tel:+61299999999', 'file:///x', 'chrome://settings', 'javascript:void(0)'])(
  '%j is no web or e-mail address',
  (text) => expect(splitAddress(text)).toBeNull(),
);
