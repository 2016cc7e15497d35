import { expect, test } from 'vitest';
import { rejectCatalog } from '../../../src/core/identify/identifier.ts';
import { judgeValue } from '../../../src/core/identify/identify-row.ts';

test('a value is judged as its column is read, with what to do about it', () => {
  expect(judgeValue('https://www.Acme.com.au/about', 'auto')).toMatchObject({
    identified: { kind: 'fqdn', value: 'acme.com.au' },
  });
  const { message, fix } = rejectCatalog.precision_lost;
  expect(judgeValue('5.18E+10', 'abn')).toEqual({ reject: 'precision_lost', message, fix });
  expect(judgeValue('Viet Nam', 'country')).toEqual({ country: 'VN' });
  expect(judgeValue('', 'country')).toEqual({ country: undefined });
  expect(judgeValue('Germany', 'country')).toMatchObject({ reject: 'unsupported_country' });
});
