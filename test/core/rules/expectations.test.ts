import { expect, test } from 'vitest';
import {
  type Expectation,
  findBreaches,
  findListBreaches,
  type RunFigures,
} from '../../../src/core/rules/expectations.ts';

const good: RunFigures = {
  rows: 1_000,
  matched: 800,
  suppressed: 0,
  failed: 0,
  last: { run: 'r30', rows: 1_000, matched: 800, suppressed: 0 },
  fills: { companies: 0, fields: [] },
};

const fill = (field: string, before: number, now: number) => ({ field, before, now });

function bound(name: Expectation['name'], text: string): Expectation {
  const [comparison = '', limit = ''] = text.split(' ');
  return {
    name,
    text,
    comparison: comparison as Expectation['comparison'],
    limit: Number.parseFloat(limit),
    unit: text.endsWith('%') ? 'percent' : 'rows',
  };
}

const messages = (expectations: Expectation[], figures: RunFigures) => [
  ...findListBreaches(expectations, figures.rows, figures.last),
  ...findBreaches(expectations, figures).map(({ message }) => message),
];

test.each<[Expectation['name'], string, Partial<RunFigures>, string]>([
  ['rows', '>= 300', { rows: 120 }, 'rows: 120 rows, 180 below the expected >= 300'],
  ['rows', '<= 900', {}, 'rows: 1,000 rows, 100 above the expected <= 900'],
  [
    ...(['matchRate', '>= 60%', { matched: 120 }] as const),
    'matchRate: 12% (120 of 1,000 rows), 48 points below the expected >= 60%',
  ],
  [
    ...(['matchRateDrop', '<= 10%', { matched: 450 }] as const),
    'matchRateDrop: 35% (from 80% in r30 to 45%), 25 points above the expected <= 10%',
  ],
  [
    ...(['rowsDrop', '<= 20%', { rows: 600 }] as const),
    'rowsDrop: 40% (from 1,000 rows in r30 to 600), 20 points above the expected <= 20%',
  ],
  [
    ...(['rowsDrop', '<= 50', { rows: 600 }] as const),
    'rowsDrop: 400 rows (from 1,000 rows in r30 to 600), 350 above the expected <= 50',
  ],
  [
    ...(['failed', '<= 1%', { failed: 51 }] as const),
    'failed: 5.1% (51 of 1,000 rows), 4.1 points above the expected <= 1%',
  ],
  [
    ...([
      'fillDrop',
      '<= 50%',
      { fills: { companies: 1_240, fields: [fill('employee_count', 96, 3)] } },
    ] as const),
    'fillDrop: 96.88% (employee_count: filled in 96% of 1,240 companies before, in 3% now), 46.88 points above the expected <= 50%',
  ],
  ['failed', '< 20', { failed: 21 }, 'failed: 21 rows, 1 above the expected < 20'],
])('%s %s is reported with the value and the difference', (name, text, figures, message) => {
  expect(messages([bound(name, text)], { ...good, ...figures })).toEqual([message]);
});

test('drops are met if nothing was published before, or if there is more than before', () => {
  const drops = [bound('rowsDrop', '<= 0'), bound('matchRateDrop', '<= 0%')];
  expect(messages(drops, { ...good, rows: 1, matched: 0, last: undefined })).toEqual([]);
  expect(messages(drops, { ...good, rows: 2_000, matched: 1_900 })).toEqual([]);
  const suppressing = { ...good, rows: 600, matched: 400, suppressed: 400 };
  expect(messages([bound('matchRateDrop', '<= 0%')], suppressing)).toEqual([]);
});

test.each([
  ['half of the values', 10, 100, 50, false],
  ['more than half of the values', 10, 100, 49, true],
  ['a field that fewer than half had', 10, 49, 0, false],
])('a loss of %s is a reason to hold, or not', (_, companies, before, now, isHeld) => {
  const fills = { companies, fields: [fill('name', before, now), fill('fqdn', 100, 100)] };
  expect(messages([bound('fillDrop', '<= 50%')], { ...good, fills })).toHaveLength(isHeld ? 1 : 0);
});

test('of many fields that lost values, five are named', () => {
  const fields = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((field) => fill(field, 100, 0));
  const [breach] = findBreaches([bound('fillDrop', '<= 50%')], {
    ...good,
    fills: { companies: 20, fields },
  });
  expect(breach?.message).toMatch(/; e: filled in 100% of [^;]*; 2 more fields\), /);
  expect(breach?.fields).toEqual(fields);
});
