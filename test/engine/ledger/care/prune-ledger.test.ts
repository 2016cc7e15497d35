import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Call, CallResult } from '../../../../src/core/contract/call.ts';
import { examineLedger, measureLedger } from '../../../../src/engine/ledger/care/examine-ledger.ts';
import { type PruneOptions, pruneLedger } from '../../../../src/engine/ledger/care/prune-ledger.ts';
import { tryLockJob } from '../../../../src/engine/ledger/file/locks.ts';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { Expect } from '../../../../src/job/schema/output-fields.ts';
import { jobIn, lookUpNight, runNight, world } from '../../../run/nights.ts';
import { failure } from '../../../support/answers.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { day } from '../../../support/test-job.ts';
import { answerOf, domains } from '../../queue/small-world.ts';
import { callIdOf, hitWith, openDatabase } from '../support/answers.ts';
import { answer, careLedger, question } from './care-ledger.ts';

const prune = (path: string, options: Partial<PruneOptions> = {}) =>
  pruneLedger(path, {
    keepRuns: undefined,
    olderThanMs: undefined,
    isDryRun: false,
    now: nightOf(1),
    ...options,
  });

const nightOf = (night: number) => Date.UTC(2026, 0, night, 2);

interface Night {
  readonly sites: readonly string[];
  readonly answer?: (call: Call) => CallResult;
}

/** The second page of people fails, and one company. */
function failSome(call: Call): CallResult {
  const fails =
    call.operation === 'people' ? call.from !== 0 : call.identifier.value === domains[1];
  return fails ? failure : answerAll(call);
}

const pages = { ...world, pageLimit: 1 };
const answerAll = (call: Call) => answerOf(pages, call);

/** Runs a job night after night. Each answer is looked up again every second night. */
async function runNights(
  folder: string,
  all: readonly Night[],
  { keepRuns = 30, name = 'leads' } = {},
): Promise<string> {
  for (const [index, { sites, answer = answerAll }] of all.entries()) {
    const job = jobIn(folder, sites);
    const reuse = { companiesMs: 1.5 * day, peopleMs: 1.5 * day, missesMs: 0, spread: 0 };
    const changed = {
      ...job,
      name,
      expect: [Expect.shape.rows.unwrap().parse('>= 0')],
      reuse: { ...reuse, staleOnFailureMs: 180 * day },
      ledgerCare: { ...job.ledgerCare, keepRuns },
    };
    await runNight(changed, index + 1, answer);
  }
  return join(folder, 'ledger.db');
}

/** What an export of each run would read, by the id of the run; pruned ones are left out. */
function recordsOf(path: string): Map<number, unknown> {
  using ledger = openLedger(path);
  const runs = ledger.runs.list().filter(({ prunedAt }) => prunedAt === null);
  return new Map(
    runs.map((run) => {
      const records = ledger.records(undefined).ofRun(run, (answerId) => {
        throw new Error(`answer ${answerId} is damaged`);
      });
      return [run.id, structuredClone([[...records.rows()], [...records.people()]])];
    }),
  );
}

/** How many lines the tables have that pruning touches. */
function sizes(path: string): Record<string, number> {
  using file = openDatabase(path);
  const tables = ['list', 'list_block', 'row', 'outcome', 'waiting', 'search', 'completed_call'];
  return Object.fromEntries(
    [...tables, 'found', 'answer', 'bundle', 'call'].map((table) => [
      table,
      Number(file.value.prepare(`select count(*) from ${table}`).pluck().get()),
    ]),
  );
}

const nights: readonly Night[] = [
  { sites: [...domains, 'not a domain', 'nobody.com.au'] },
  { sites: ['not a domain', ...domains.slice(1, 4)] },
  { sites: [...domains.slice(0, 3)].reverse(), answer: failSome },
  { sites: domains, answer: failSome },
];

test('kept runs stay as they were, and pruning each night gives the same', async () => {
  const keepRuns = 1;
  using folder = temporaryFolder();
  using second = temporaryFolder();
  const path = await runNights(folder.path, nights);
  const before = recordsOf(path);
  const dry = prune(path, { keepRuns, isDryRun: true });
  expect(recordsOf(path)).toEqual(before);
  const { runs, bytesBefore, bytesAfter, ...pruned } = prune(path, { keepRuns });
  expect(dry).toMatchObject({ runs, rows: pruned.rows, answers: pruned.answers });
  expect(bytesAfter).toBeLessThanOrEqual(bytesBefore);

  const after = recordsOf(path);
  expect(runs).toBe(before.size - after.size);
  expect(after.size).toBeGreaterThanOrEqual(keepRuns);
  for (const [runId, records] of after) expect(records).toEqual(before.get(runId));
  expect(examineLedger(path).findings).toEqual([]);
  const nothing = { runs: 0, rows: 0, outcomes: 0, answers: 0 };
  expect(prune(path, { keepRuns })).toMatchObject(nothing);

  const nightly = await runNights(second.path, nights, { keepRuns });
  expect([...recordsOf(nightly)]).toEqual([...after]);
  expect(examineLedger(nightly).findings).toEqual([]);
  // Fewer where a row was away for longer than runs are kept: it came back as a new one.
  prune(nightly, { keepRuns });
  const [left, most] = [sizes(nightly), sizes(path)];
  const larger = Object.keys(left).filter((table) => (left[table] ?? 0) > (most[table] ?? 0));
  expect(larger).toEqual([]);
});

test('answers that a job may use stay unless --older-than is set; the last published run stays complete', async () => {
  using folder = temporaryFolder();
  const night = { sites: ['d0.com.au', 'd1.com.au'] };
  const another = { sites: ['d2.com.au'] };
  const path = await runNights(folder.path, [night, another, another]);
  const now = nightOf(3) + 100 * day;
  const all = sizes(path);
  // The second run stays: the third is compared with it.
  expect(prune(path, { keepRuns: 1, now })).toMatchObject({ runs: 1, rows: 2, answers: 0 });
  // The job keeps stale answers for 180 days.
  expect(sizes(path)).toMatchObject({ answer: all.answer, row: 1 });
  const records = recordsOf(path);
  expect([...records.keys()]).toEqual([3, 2]);
  expect(prune(path, { now, olderThanMs: 90 * day, isDryRun: true }).answers).toBeGreaterThan(0);
  expect(prune(path, { now, olderThanMs: 90 * day })).toMatchObject({ runs: 1, rows: 0 });
  expect([...recordsOf(path)]).toEqual([[3, records.get(3)]]);
  expect(sizes(path).answer).toBeLessThan(all.answer ?? 0);
  expect(examineLedger(path).findings).toEqual([]);
});

test('the file shrinks, and new answers are still found by their identifiers', () => {
  using care = careLedger(0);
  {
    using ledger = openLedger(care.path);
    answer(ledger, [...Array(500).keys()], { fetchedAt: 1_000 });
    ledger.inTransaction(() => ledger.calls.gatherAliases());
    answer(ledger, [1, 2, 3], { fetchedAt: 500 * day });
  }
  const before = measureLedger(care.path);
  expect(prune(care.path, { now: 501 * day })).toMatchObject({ answers: 500, calls: 497 });
  const after = measureLedger(care.path);
  expect(after.bytes.free).toBe(0);
  expect(after.fileBytes).toBe(statSync(care.path).size);
  expect(after.fileBytes).toBeLessThan(before.fileBytes / 1.5);
  expect(after).toMatchObject({ answers: 3, calls: 3 });
  expect(examineLedger(care.path).findings).toEqual([]);

  expect(prune(care.path, { now: 501 * day, olderThanMs: 0 })).toMatchObject({ answers: 3 });
  using ledger = openLedger(care.path);
  // It has the id of one that is gone, whose identifiers were gathered.
  const [id = 0] = ledger.inTransaction(() =>
    ledger.calls.putAnswers([
      {
        ...hitWith({ fetchedAt: 502 * day, aliasKeys: question(8).key }),
        callId: callIdOf(ledger, question(7)),
      },
    ]),
  );
  expect(id).toBe(1);
  ledger.inTransaction(() => ledger.calls.gatherAliases());
  expect(ledger.calls.aliasAnswer(question(8).key, 503 * day)).toMatchObject({ id });
});

test('a ledger that a run holds is not pruned, and says which run that is', async () => {
  using folder = temporaryFolder();
  const night = { sites: ['d0.com.au'] };
  const path = await runNights(folder.path, [night]);
  {
    using _lock = tryLockJob(path, 'leads');
    expect(() => prune(path)).toThrow(`r1 of leads is using ${path}`);
    expect(prune(path, { isDryRun: true })).toMatchObject({ runs: 0 });
  }
  {
    await lookUpNight(jobIn(folder.path), 1, 'd0.com.au');
    using _lock = tryLockJob(path, 'lookup@1');
    expect(() => prune(path)).toThrow('a lookup is using');
  }
  // What a killed run has left holds nothing.
  copyFileSync(path, join(folder.path, 'ledger.db.other.lock'));
  expect(prune(path)).toMatchObject({ runs: 0, answers: 0 });
});
