import { expect, test } from 'vitest';
import type { Expectation } from '../../../src/core/rules/expectations.ts';
import { Expect } from '../../../src/job/schema/output-fields.ts';

const parse = (name: Expectation['name'], written: string) =>
  Expect.shape[name].safeParse(written).data;

test.each<[Expectation['name'], string, object]>([
  ['rows', '<5000', { comparison: '<', limit: 5_000, unit: 'rows', text: '< 5000' }],
  ['matchRate', ' >=60 % ', { comparison: '>=', limit: 60, unit: 'percent', text: '>= 60%' }],
  ['matchRateDrop', '<= 10%', { comparison: '<=', limit: 10, unit: 'percent' }],
  ['rowsDrop', '<= 500', { limit: 500, unit: 'rows' }],
  ['fillDrop', '<= 100%', { comparison: '<=', limit: 100, unit: 'percent' }],
  ['failed', '< 0.5%', { comparison: '<', limit: 0.5, unit: 'percent' }],
])('%s: %j is understood', (name, written, expected) => {
  expect(parse(name, written)).toMatchObject({ name, ...expected });
});

test.each<[Expectation['name'], string]>([
  ['rows', '300'],
  ['rows', '>= 30%'],
  ['rows', '=> 300'],
  ['rows', '>= 1,000'],
  ['rows', '>= 99999999999999999999'],
  ['matchRate', '>= 60'],
  ['matchRate', '>= 101%'],
  ['matchRate', '<= 60%'],
  ['matchRateDrop', '>= 10%'],
  ['rowsDrop', '<= 2.5'],
  ['fillDrop', '>= 50%'],
  ['fillDrop', '<= 50'],
  ['failed', '>= 1%'],
])('%s: %j is refused', (name, written) => {
  expect(parse(name, written)).toBeUndefined();
});
