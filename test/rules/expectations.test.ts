import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Expectation, findBreaches, type RunFigures } from '../../src/rules/expectations.ts';

const nothingAnew = { rows: 0, matched: 0, hadCompany: 0, isNew: 0 };
const good: RunFigures = {
  rows: 1_000,
  matched: 800,
  failed: 0,
  history: { last: { run: 'r30', rows: 1_000, matched: 800 }, matched: 1_600, asked: 2_000 },
  askedAnew: nothingAnew,
};

function bound(name: Expectation['name'], text: string): Expectation {
  const [comparison = '', limit = ''] = text.split(' ');
  return {
    ...{ name, text, comparison: comparison as Expectation['comparison'] },
    limit: Number.parseFloat(limit),
    unit: text.endsWith('%') ? 'percent' : 'rows',
  };
}

const messages = (expectations: Expectation[], figures: RunFigures) =>
  findBreaches(expectations, figures).map(({ message }) => message);

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
  ['failed', '< 20', { failed: 21 }, 'failed: 21 rows, 1 above the expected < 20'],
])('%s %s is told with what was found and by how much', (name, text, figures, message) => {
  expect(messages([bound(name, text)], { ...good, ...figures })).toEqual([message]);
});

test('all that are not met are told, in their order', () => {
  const expectations = [bound('rows', '>= 300'), bound('matchRate', '>= 60%')];
  const breaches = findBreaches(expectations, { ...good, rows: 10, matched: 1 });
  expect(breaches).toMatchObject([
    { expectation: 'rows', expected: '>= 300', found: '10 rows' },
    { expectation: 'matchRate', expected: '>= 60%', found: '10%' },
  ]);
});

test('drops are met where nothing was published before, and where there is more than before', () => {
  const drops = [bound('rowsDrop', '<= 0'), bound('matchRateDrop', '<= 0%')];
  expect(findBreaches(drops, { ...good, rows: 1, matched: 0, history: undefined })).toEqual([]);
  expect(findBreaches(drops, { ...good, rows: 2_000, matched: 1_900 })).toEqual([]);
});

test('an empty list has a match rate of nothing', () => {
  const empty = { ...good, rows: 0, matched: 0 };
  expect(messages([bound('matchRate', '>= 60%')], empty)).toHaveLength(1);
  expect(messages([bound('failed', '<= 1%')], empty)).toEqual([]);
});

test('a share is compared exactly, however its decimals look in binary', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.integer({ min: 1, max: 9 }),
      (part, tens) => {
        const rows = 1_000 * tens;
        const figures = { ...good, rows, matched: part * tens, history: undefined };
        const share = part / 10;
        expect(findBreaches([bound('matchRate', `>= ${share}%`)], figures)).toEqual([]);
        expect(findBreaches([bound('matchRate', `> ${share}%`)], figures)).toHaveLength(1);
      },
    ),
  );
});

test('a drop of exactly what is allowed is met, and one row more is not', () => {
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 1_000 }), fc.integer({ min: 0, max: 199 }), (a, by) => {
      const last = { run: 'r1', rows: 1_000, matched: a };
      const history = { last, matched: a, asked: 1_000 };
      const allowed = [bound('matchRateDrop', `<= ${by / 10}%`)];
      expect(findBreaches(allowed, { ...good, history, matched: a - by })).toEqual([]);
      expect(findBreaches(allowed, { ...good, history, matched: a - by - 1 })).toHaveLength(1);
    }),
  );
});

describe('of at least a hundred rows asked anew', () => {
  const anew = (rows: number, matched: number, before: { hadCompany?: number; isNew?: number }) =>
    messages([], { ...good, askedAnew: { rows, matched, hadCompany: 0, isNew: 0, ...before } });

  test('a fall of more than 30 points below what they had is no good result', () => {
    expect(anew(100, 70, { hadCompany: 100 })).toEqual([]);
    expect(anew(100, 69, { hadCompany: 100 })).toEqual([
      'history: 69% of 100 rows asked anew have a company, 31 points below the 100% of earlier runs; 30 points are tolerated',
    ]);
    expect(anew(99, 0, { hadCompany: 99 })).toEqual([]);
  });

  test('new rows are held against the rate of earlier runs', () => {
    expect(anew(200, 100, { isNew: 200 })).toEqual([]);
    expect(anew(200, 90, { isNew: 200 })).toHaveLength(1);
  });

  test('rows that had found nothing before may find nothing again', () => {
    expect(anew(500, 0, {})).toEqual([]);
    expect(anew(500, 10, { hadCompany: 150 })).toEqual([]);
    expect(anew(500, 0, { hadCompany: 151 })).toHaveLength(1);
  });

  test('nothing is expected of the first run', () => {
    const askedAnew = { rows: 500, matched: 0, hadCompany: 500, isNew: 0 };
    expect(findBreaches([], { ...good, history: undefined, askedAnew })).toEqual([]);
  });
});
