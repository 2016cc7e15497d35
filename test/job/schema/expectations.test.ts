import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Expectation } from '../../../src/core/rules/expectations.ts';
import { Expect } from '../../../src/job/schema/output-fields.ts';

const parse = (name: Expectation['name'], written: string) =>
  Expect.shape[name].safeParse(written).data;

test.each<[Expectation['name'], string, object]>([
  ['rows', '>= 300', { comparison: '>=', limit: 300, unit: 'rows', text: '>= 300' }],
  ['rows', '<5000', { comparison: '<', limit: 5_000, unit: 'rows', text: '< 5000' }],
  ['matchRate', ' >=60 % ', { comparison: '>=', limit: 60, unit: 'percent', text: '>= 60%' }],
  ['matchRate', '> 62.5%', { comparison: '>', limit: 62.5, unit: 'percent' }],
  ['matchRateDrop', '<= 10%', { comparison: '<=', limit: 10, unit: 'percent' }],
  ['rowsDrop', '<= 20%', { limit: 20, unit: 'percent' }],
  ['rowsDrop', '<= 500', { limit: 500, unit: 'rows' }],
  ['failed', '< 0.5%', { comparison: '<', limit: 0.5, unit: 'percent' }],
  ['failed', '<= 0', { limit: 0, unit: 'rows' }],
])('%s: %j is understood', (name, written, expected) => {
  expect(parse(name, written)).toMatchObject({ name, ...expected });
});

test.each<[Expectation['name'], string]>([
  ['rows', '300'],
  ['rows', '>= 30%'],
  ['rows', '>= 3.5'],
  ['rows', '=> 300'],
  ['rows', '>= 1,000'],
  ['rows', '>= -1'],
  ['rows', '>= 99999999999999999999'],
  ['matchRate', '>= 60'],
  ['matchRate', '>= 101%'],
  ['matchRate', '<= 60%'],
  ['matchRateDrop', '>= 10%'],
  ['matchRateDrop', '<= 10'],
  ['rowsDrop', '<= 2.5'],
  ['failed', '>= 1%'],
  ['failed', ''],
])('%s: %j is refused', (name, written) => {
  expect(parse(name, written)).toBeUndefined();
});

test('what is read is what was written, whatever spaces stand around it', () => {
  const space = fc.constantFrom('', ' ', '  ', '\t');
  const share = fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1_000);
  fc.assert(
    fc.property(fc.tuple(space, space, space, space), share, ([a, b, c, d], limit) => {
      const parsed = parse('failed', `${a}<=${b}${limit}${c}%${d}`);
      expect(parsed).toMatchObject({ limit, unit: 'percent', text: `<= ${limit}%` });
      expect(parse('failed', parsed?.text ?? '')).toEqual(parsed);
    }),
  );
});

test('any other text is refused, and breaks nothing', () => {
  fc.assert(
    fc.property(fc.string(), (written) => {
      const parsed = parse('rowsDrop', written);
      expect(parsed === undefined || /^\s*<=?\s*\d/.test(written)).toBe(true);
    }),
  );
});
