import { expect, test } from 'vitest';
import { type Ledger, openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { testJob } from '../../../support/test-job.ts';
import { completeTestRun, ingestTestRun, listOf, type TestRun } from '../../../support/test-run.ts';
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
const noDamage = () => expect.unreachable();

const complete = (run: TestRun) =>
  completeTestRun(run, { send: async (call) => answerOf(world, call) });

const numbersAndStatuses = (ledger: Ledger, { run }: TestRun, numbers: readonly number[]) =>
  ledger.records.at(run, numbers).map(({ record }) => [record.number, record.status] as const);

test('rows are read by their numbers, in the order of asking', async () => {
  using ledger = openLedger(':temporary:');
  const started = await ingestTestRun(ledger, job, list());
  await complete(started);
  expect(numbersAndStatuses(ledger, started, [4, 2, 9, 1, 0])).toEqual([
    [4, 'matched'],
    [2, 'invalid'],
    [1, 'matched'],
  ]);
});

test('a row tells what was asked for it, and what was answered', async () => {
  using ledger = openLedger(':temporary:');
  const started = await ingestTestRun(ledger, job, list());
  const outcomes = (number: number) =>
    ledger.records
      .trail({ ...started.run }, number)
      ?.candidates.map(({ value, outcome, answer }) => [value, outcome, answer?.source ?? null]);
  expect(outcomes(3)).toEqual([
    ['absent.com.au', 'open', null],
    [zero, 'open', null],
  ]);
  await complete(started);
  expect(outcomes(1)).toEqual([[one, 'hit', 'called']]);
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
  expect(ledger.records.trail(started.run, 3)).toMatchObject({ companyId: 'c_0', country: 'AU' });
});

test('the people of a row are those of its company', async () => {
  using ledger = openLedger(':temporary:');
  const started = await ingestTestRun(ledger, job, list());
  const row = { companyId: 'c_0', country: 'AU', number: 4, key: 'k' } as const;
  expect(ledger.records.peopleOfRow(started.run, row)).toBeUndefined();
  await complete(started);
  const found = ledger.records.peopleOfRow({ ...started.run }, row);
  const [people] = [...ledger.records.of(started.run, noDamage).people()].filter(
    ({ companyId }) => companyId === 'c_0',
  );
  expect({ ...found, rows: [], rowKeys: [] }).toEqual({ ...people, rows: [], rowKeys: [] });
});
