import { expect, test } from 'vitest';
import { isForeignRegisterNumber } from '../../../../src/core/identify/parse-abn.ts';

test.each(['9429036975273', '94 2903 6975 273', 'NZBN 1', 'UEN: 1', '201912345K', 'S99FC5678H'])(
  '%j belongs to another register',
  (text) => expect(isForeignRegisterNumber(text)).toBe(true),
);

test.each([
  '942903697527',
  '5182475355601',
  '51824753556',
  'ABN 51 824 753 556',
  '2019123456K',
  'queue 12',
  'NZBN',
])('%j belongs to no other register', (text) => expect(isForeignRegisterNumber(text)).toBe(false));

test('an NZBN is recognised even when its check digit is wrong', () => {
  const known = [...'0123456789'].filter((digit) =>
    isForeignRegisterNumber(`942903697527${digit}`),
  );
  expect(known).toHaveLength(10);
});
