import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Call } from '../../src/core/contract/call.ts';
import { DossierError } from '../../src/core/errors.ts';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { runJob } from '../../src/run/run-job.ts';
import type { ServiceClient } from '../../src/run/run-parts.ts';
import { answerOf, domains } from '../engine/queue/small-world.ts';
import { countCalls } from '../support/count-run.ts';
import { answeredBy } from '../support/run-parts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { day } from '../support/test-job.ts';
import { exportOf, jobIn, world } from './nights.ts';

const stopped = new DossierError('INTERRUPTED', 'enough');

const partsWith = (
  send: ServiceClient['send'] = async (call) => answerOf(world, call),
  signal = new AbortController().signal,
) => answeredBy(send, { signal });

test('calls cut off on the wire are possibly charged, unsent calls are not', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  const limits = { ...job.limits, concurrency: 1 };
  const controller = new AbortController();
  const send: ServiceClient['send'] = (_call, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      controller.abort(stopped);
    });
  const parts = partsWith(send, controller.signal);
  await expect(runJob({ ...job, limits }, { ...parts, graceMs: 20 })).rejects.toMatchObject({
    code: 'INTERRUPTED',
    message: expect.stringMatching(
      /^enough\. Unanswered calls .*may have been charged: 1; `dossier status`/,
    ),
  });
  using ledger = openLedger(job.ledger);
  const id = ledger.runs.newest(job.name)?.id ?? 0;
  expect(countCalls(ledger, id)).toMatchObject({
    leased: 0,
    open: domains.length,
    possiblyCharged: 1,
  });
});

/** Parts for a start on a day of the calendar; the run is stopped after so many calls. */
function partsOn(day: number, calls = Number.POSITIVE_INFINITY) {
  const controller = new AbortController();
  let left = calls;
  const send = async (call: Call) => {
    left -= 1;
    if (left === 0) controller.abort(stopped);
    return answerOf(world, call);
  };
  const clock = { ...systemClock, wallMs: () => Date.UTC(2026, 7, day, 12) };
  return { ...partsWith(send, controller.signal), clock };
}

test('a run that is taken up on another day is written under that day, also by an export', async () => {
  using folder = temporaryFolder();
  const given = jobIn(folder.path);
  const job = { ...given, output: { ...given.output, path: join(folder.path, '{date}') } };
  const limits = { ...job.limits, concurrency: 1 };
  await expect(runJob({ ...job, limits }, partsOn(1, 2))).rejects.toBe(stopped);
  const { isResumed, exported } = await runJob(job, partsOn(3));
  expect(isResumed).toBe(true);
  expect(exported.folder).toBe(join(folder.path, '2026-08-03'));
  const again = await exportOf(job);
  expect(again.exported.folder).toBe(join(folder.path, '2026-08-03'));
});

test('a run that is taken up later heeds how old its cache hits are by then', async () => {
  using folder = temporaryFolder();
  const life = { companiesMs: 5 * day, missesMs: 5 * day, peopleMs: 5 * day };
  const reuse = { ...life, spread: 0, staleOnFailureMs: 0 };
  const job = { ...jobIn(folder.path, domains.slice(0, 2)), reuse };
  await runJob(job, partsOn(1));
  const longer = { ...jobIn(folder.path), reuse };
  const limits = { ...longer.limits, concurrency: 1 };
  await expect(runJob({ ...longer, limits }, partsOn(4, 1))).rejects.toBe(stopped);
  using ledger = openLedger(job.ledger);
  const fresh = ledger.runs.newest(job.name)?.id;

  // On the fifth day the cache hits are fresh, on the eighth they are not.
  await expect(runJob({ ...longer, limits }, partsOn(5, 1))).rejects.toBe(stopped);
  expect(ledger.runs.newest(job.name)?.id).toBe(fresh);
  const { isResumed, counts } = await runJob(longer, partsOn(8));
  expect(isResumed).toBe(false);
  // Two companies and their people are asked for again; what the unfinished run had paid for is not.
  expect(counts.calls).toMatchObject({ reused: 2, made: 2 * domains.length - 2 });
});

test('a refresh repeats calls of other unfinished runs, and its own only once', async () => {
  using folder = temporaryFolder();
  const given = { ...jobIn(folder.path), people: undefined };
  const ordinary = { ...given, limits: { ...given.limits, concurrency: 1 } };
  const refresh = { what: 'all' } as const;
  const none = { companiesMs: 0, missesMs: 0, peopleMs: 0 };
  const reuse = { ...none, spread: 0, staleOnFailureMs: 0 };
  await expect(runJob(ordinary, partsOn(1, 2))).rejects.toBe(stopped);
  const again = { ...ordinary, refresh, reuse };
  await expect(runJob(again, partsOn(2, 3))).rejects.toBe(stopped);
  // Another list makes another run of the same refresh, which takes what the first had paid for.
  const longer = { ...again, ...jobIn(folder.path, [...domains, 'one-more.com.au']) };
  const { isResumed, counts } = await runJob(
    { ...longer, people: undefined, refresh, reuse },
    partsOn(3),
  );
  expect(isResumed).toBe(false);
  expect(counts.calls).toMatchObject({ reused: 3, made: domains.length - 2 });
});

test('a ledger that breaks while it is used is trouble and no bug', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  const send: ServiceClient['send'] = async (call) => {
    const db = new Database(job.ledger);
    db.exec('drop table if exists search');
    db.close();
    return answerOf(world, call);
  };
  await expect(runJob(job, partsWith(send))).rejects.toMatchObject({ code: 'LEDGER_TROUBLE' });
});
