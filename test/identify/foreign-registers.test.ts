import { expect, test } from 'vitest';
import { isForeignRegisterNumber } from '../../src/identify/foreign-registers.ts';

test.each(['9429036975273', '94 2903 6975 273', 'NZBN 1', 'UEN: 1', '201912345K', 'S99FC5678H'])(
  '%j belongs to another register',
  (text) => expect(isForeignRegisterNumber(text)).toBe(true),
);

test.each([
  '9429036975274',
  '51824753556',
  'ABN 51 824 753 556',
  '2019123456K',
  'queue 12',
  'NZBN',
])('%j does not', (text) => expect(isForeignRegisterNumber(text)).toBe(false));

test('of the ten check digits an NZBN could have, one fits', () => {
  const fitting = [...'0123456789'].filter((digit) =>
    isForeignRegisterNumber(`942903697527${digit}`),
  );
  expect(fitting).toEqual(['3']);
});
