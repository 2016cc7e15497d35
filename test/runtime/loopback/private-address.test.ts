import { expect, test } from 'vitest';
import { isPrivateAddress } from '../../../src/runtime/loopback/private-address.ts';

test.each([
  ['127.0.0.1', true],
  ['10.96.0.10', true],
  ['172.31.255.1', true],
  ['172.32.0.1', false],
  ['192.168.1.4', true],
  ['203.0.113.9', false],
  ['::1', true],
  ['::ffff:10.0.0.7', true],
  ['fd12:3456::1', true],
  ['2001:db8::1', false],
])('whether %s is private: %s', (address, expected) => {
  expect(isPrivateAddress(address)).toBe(expected);
});
