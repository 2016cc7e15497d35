import { expect, test } from 'vitest';
import {
  type ProviderId,
  providerOf,
  serviceIdentity,
  serviceOf,
} from '../../../src/engine/providers/providers.ts';

const other = 'other' as ProviderId;

test.each([
  ['company-data', 'https://api.example.com/v1', 'https://api.example.com/v1'],
  ['sample-data', 'embedded', 'embedded'],
  [other, 'https://api.example.com/v1', 'other https://api.example.com/v1'],
] as const)('a service of %s at %s is %s in a ledger', (provider, url, identity) => {
  expect(serviceIdentity({ provider, url })).toBe(identity);
  expect(serviceOf(identity)).toEqual({ provider, url });
});

test('answers of a provider that a newer version has are not read as those of another', () => {
  expect(() => providerOf({ provider: other })).toThrow('answers of the provider other');
});
