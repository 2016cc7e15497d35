import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RowRecord } from '../../../src/core/columns/run-records.ts';
import { parseCall } from '../../../src/core/contract/call.ts';
import { DossierError } from '../../../src/core/errors.ts';
import type { Counts } from '../../../src/core/rules/outcomes.ts';
import { openLedger } from '../../../src/engine/ledger/open-ledger.ts';
import { columns, jobWith, list, smallJob } from '../../engine/queue/small-list.ts';
import { type BriefRow, expectedPeople, expectedRow } from '../../engine/queue/small-model.ts';
import {
  abns,
  answerOf,
  arbitraryWorld,
  type SmallWorld,
  slugs,
} from '../../engine/queue/small-world.ts';
import { countCalls, countRun, countSearches } from '../../support/count-run.ts';
import { day, testJob } from '../../support/test-job.ts';
import { completeTestRun, ingestTestRun, listOf, type TestRun } from '../../support/test-run.ts';
import { openCountingService, runThrough, type Trouble } from './troubled-run.ts';

const numRuns = Number(process.env.DOSSIER_TEST_RUNS ?? 8);

const trouble: fc.Arbitrary<Trouble> = fc.record({
  after: fc.nat(15),
  kind: fc.constantFrom('stop', 'crash', 'interrupt', 'budget'),
});
const setting = fc.record({
  ...smallJob,
  seed: fc.nat(),
  troubles: fc.array(trouble, { maxLength: 4 }),
});

type Setting = typeof setting extends fc.Arbitrary<infer Value> ? Value : never;

test('whatever comes, each row ends as it must and no answer is paid twice', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld, list, setting, async (world, rows, given) => {
      using ledger = openLedger(':temporary:');
      const ingested = await ingestTestRun(ledger, jobWith(given), listOf(columns, rows));
      const { run } = ingested;
      const service = openCountingService(world, given.seed);
      const counts = await runThrough(ingested, service, given.troubles);

      const records = ledger.records.of(run, () => expect.unreachable());
      expect([...records.rows()].map(brief)).toEqual(rows.map((row) => expectedRow(world, row)));
      const ids = [...records.rows()].flatMap((row) => brief(row).companyId ?? []);
      expect(peopleOf(ingested)).toEqual(expectedPeople(world, ids, given));

      expect(counts).toEqual(countRun(ledger, run.id));
      expect(counts).toEqual(ledger.progress.of(run.id));
      expect(counts.calls.open).toBe(0);
      expect(countSearches(ledger, run.id).open).toBe(0);

      const doubtful = ledger.calls.doubtful(run.id);
      // A failure is no answer: a run that stops may leave its call open.
      const hasAnswer = (call: string) => answerOf(world, parseCall(call)).kind !== 'failed';
      const answered = [...service.asked].filter(([call]) => hasAnswer(call));
      const repeated = answered.filter(([, times]) => times > 1).map(([call]) => call);
      expect(doubtful).toEqual(expect.arrayContaining(repeated));
      const crashes = given.troubles.filter(({ kind }) => kind === 'crash').length;
      // Failures wait for an answer that shows whose they are, however many there are.
      const inDoubt = doubtful.filter(hasAnswer);
      expect(inDoubt.length).toBeLessThanOrEqual(crashes * 2 * given.concurrency);
      const times = answered.map(([, count]) => count);
      expect(Math.max(1, ...times)).toBeLessThanOrEqual(1 + crashes);
      await expectSameAgain(world, rows, { ...ingested, counts }, given);
    }),
    { numRuns },
  );
});

test('which company a row gets does not depend on which answer comes first', async () => {
  const order = fc.record({ seed: fc.nat(), concurrency: fc.integer({ min: 1, max: 5 }) });
  const orders = fc.array(order, { minLength: 2, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      sharingWorld,
      list,
      list,
      setting,
      orders,
      async (world, before, rows, given, of) => {
        const results = [];
        for (const { seed, concurrency } of of) {
          using ledger = openLedger(':temporary:');
          const job = jobWith({ ...given, concurrency });
          const service = openCountingService(world, seed);
          // The second list finds companies of the first under other identifiers.
          for (const [night, cells] of [before, rows].entries()) {
            const startedAt = Date.parse('2026-08-22') + night * day;
            const listed = await ingestTestRun(ledger, job, listOf(columns, cells), startedAt);
            await listed.queue.recover();
            await runThrough(listed, service, [], startedAt);
            const records = ledger.records.of(listed.run, () => expect.unreachable());
            const told = { rows: [...records.rows()], people: [...records.people()] };
            results.push({ night, told: JSON.stringify(told, withoutTimes) });
          }
        }
        for (const night of [0, 1]) {
          const told = results
            .filter((result) => result.night === night)
            .map((result) => result.told);
          expect(new Set(told).size).toBe(1);
        }
      },
    ),
    { numRuns },
  );
});

/** When an answer came depends on which came first, and nothing else does. */
function withoutTimes(key: string, value: unknown): unknown {
  return key === 'fetchedAt' ? undefined : value;
}

/** Companies that share register numbers and pages: two carry each of them. */
const sharingWorld = arbitraryWorld.map((world) => ({
  ...world,
  companies: world.companies.map((company, index) => ({
    ...company,
    abn: abns[index % 2],
    slug: slugs[index % 3],
  })),
}));

/** The next run over the same list asks only for what failed, and tells the same in each detail. */
async function expectSameAgain(
  world: SmallWorld,
  rows: string[][],
  { ledger, job, run, counts }: TestRun & { counts: Counts },
  { seed }: Setting,
): Promise<void> {
  const service = openCountingService(world, seed + 1);
  const ingested = await ingestTestRun(ledger, job, listOf(columns, rows));
  const again = await runThrough(ingested, service, []);
  const recordsOf = (of: TestRun['run']) => {
    const records = ledger.records.of(of, () => expect.unreachable());
    // A failure has a time of its own each time.
    const rowsOf = [...records.rows()].map((row) =>
      row.status === 'failed' ? { ...row, fetchedAt: null } : row,
    );
    // In which run a record became different is told when runs are compared.
    const people = [...records.people()].map(({ changedRun: _, ...record }) => record);
    return { rows: rowsOf, people };
  };
  expect(recordsOf(ingested.run)).toEqual(recordsOf(run));
  expect(again).toEqual(countRun(ledger, ingested.run.id));
  expect(service.asked.size).toBe(counts.calls.failed);
  expect(again.calls).toMatchObject({ made: 0, failed: counts.calls.failed, open: 0 });
  await expectKept(world, rows, { ledger, job, run: ingested.run, counts: again }, recordsOf);
}

/** A run that keeps the outcomes of the last one comes to the same as one that looks at each answer. */
async function expectKept(
  world: SmallWorld,
  rows: string[][],
  { ledger, job, run, counts }: Omit<TestRun, 'queue'> & { counts: Counts },
  recordsOf: (of: TestRun['run']) => unknown,
): Promise<void> {
  ledger.runs.finish(run.id, 1_000);
  const service = openCountingService(world, 1);
  const night = await ingestTestRun(ledger, job, listOf(columns, rows), 1_000, run);
  const { calls: before } = await night.queue.counts();
  expect(before.reused + before.joined).toBeLessThanOrEqual(
    counts.calls.reused + counts.calls.joined,
  );
  const kept = await runThrough(night, service, []);
  expect(recordsOf(night.run)).toEqual(recordsOf(run));
  const { calls, ...others } = kept;
  const { calls: callsBefore, ...othersBefore } = counts;
  expect(others).toEqual(othersBefore);
  const sum = ({ open: _, ...some }: Counts['calls']) =>
    Object.values(some).reduce((one, other) => one + other, 0);
  expect(sum(calls)).toBe(sum(callsBefore));
  expect(service.asked.size).toBe(calls.failed);
  expect(night.run.listId).toBe(run.listId);
}

function brief({ status, company, match, identifier }: RowRecord): BriefRow {
  if (status !== 'matched') return { status };
  return { status, match, asked: identifier, companyId: (company as { id: string }).id };
}

function peopleOf({ ledger, run }: TestRun): Record<string, string[]> {
  const records = ledger.records.of(run, () => expect.unreachable());
  return Object.fromEntries(
    [...records.people()].map(({ companyId, searches }) => [
      companyId,
      searches.flatMap(({ pages }) => pages.flatMap(({ people }) => people.map(personId))),
    ]),
  );
}

function personId(person: unknown): string {
  return (person as { person_id: string }).person_id;
}

test.each([
  ['lost with the client is doubtful', new Error('the client is broken'), ['d0.com.au']],
  ['kept back by a stop is simply open', new DossierError('INTERRUPTED', 'enough'), []],
])('a call that was %s', async (_, error, doubtful) => {
  using ledger = openLedger(':temporary:');
  const job = testJob({ identify: [{ column: 'website', as: 'fqdn' }] });
  const given = await ingestTestRun(ledger, job, listOf(['website'], [['d0.com.au']]));
  const send = async () => {
    throw error;
  };
  await expect(completeTestRun(given, { send })).rejects.toBe(error);
  const asked = doubtful.map((site) => `company?country=AU&fqdn=${site}`);
  expect(ledger.calls.doubtful(given.run.id)).toEqual(asked);
  // Nobody waits for it any more, so it is open for whoever asks next.
  expect(countCalls(ledger, given.run.id)).toMatchObject({ open: 1, leased: 0 });
});
