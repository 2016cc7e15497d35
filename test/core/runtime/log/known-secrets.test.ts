import { expect, test } from 'vitest';
import { keepSecret, withoutSecrets } from '../../../../src/core/runtime/log/known-secrets.ts';

test('a secret that is known is told to nobody', () => {
  const trace = 'TypeError: Invalid header: Bearer key-of-nobody\n    at send';
  expect(withoutSecrets(trace)).toBe(trace);
  keepSecret('key-of-nobody');
  expect(withoutSecrets(trace)).toBe('TypeError: Invalid header: Bearer [redacted]\n    at send');
});
