import { expect, test } from 'vitest';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { testJob } from '../../../support/test-job.ts';
import { completeTestRun, ingestTestRun, listOf } from '../../../support/test-run.ts';
import { answerOf, domains, type SmallWorld } from '../../queue/small-world.ts';

const [zero = '', one = ''] = domains;
const world: SmallWorld = {
  companies: [zero, one].map((fqdn, number) => ({
    ...{ id: `c_${number}`, abn: undefined, slug: undefined, people: { '3': 2 }, fqdn },
  })),
  others: {},
  pageLimit: 9,
  saysTotal: true,
};
const job = testJob({
  identify: [
    { column: 'website', as: 'fqdn' },
    { column: 'other', as: 'fqdn' },
  ],
  people: {
    searches: [{ seniority: '3', department: undefined, position: undefined }],
    ...{ pageSize: 9, maxPerCompany: 9 },
  },
});
const list = () =>
  listOf(
    ['website', 'other'],
    [
      [one, undefined],
      ['nonsense', undefined],
      ['absent.com.au', zero],
      [zero, one],
    ],
  );

test('rows are read by their numbers, with what was asked and found', async () => {
  using ledger = openLedger(':temporary:');
  const started = await ingestTestRun(ledger, job, list());
  const { run } = started;
  const outcomes = (number: number) =>
    ledger.records
      .trail(run, number)
      ?.candidates.map(({ value, outcome, answer }) => [value, outcome, answer?.source ?? null]);
  const row = { companyId: 'c_0', country: 'AU', number: 4, key: 'k' } as const;
  expect(outcomes(3)).toEqual([
    ['absent.com.au', 'open', null],
    [zero, 'open', null],
  ]);
  expect(ledger.records.peopleOfRow(run, row)).toBeUndefined();
  await completeTestRun(started, { send: async (call) => answerOf(world, call) });

  const found = ledger.records.at(run, [4, 2, 9, 1, 0]).map(({ record }) => record);
  expect(found.map(({ number, status }) => [number, status])).toEqual([
    [4, 'matched'],
    [2, 'invalid'],
    [1, 'matched'],
  ]);
  expect(outcomes(2)).toEqual([]);
  expect(outcomes(3)).toEqual([
    ['absent.com.au', 'miss', 'called'],
    [zero, 'hit', 'called'],
  ]);
  expect(outcomes(4)).toEqual([
    [zero, 'hit', 'called'],
    [one, 'spare', null],
  ]);
  expect(outcomes(5)).toBeUndefined();
  expect(ledger.records.trail(run, 3)).toMatchObject({ companyId: 'c_0', country: 'AU' });

  const [people] = [...ledger.records.of(run, () => expect.unreachable()).people()].filter(
    ({ companyId }) => companyId === 'c_0',
  );
  const ofRow = ledger.records.peopleOfRow(run, row);
  expect({ ...ofRow, rows: [], rowKeys: [] }).toEqual({ ...people, rows: [], rowKeys: [] });
});
