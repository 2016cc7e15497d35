import { expect, test } from 'vitest';
import type { Call } from '../../src/core/contract/call.ts';
import { DossierError } from '../../src/core/errors.ts';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { planJob } from '../../src/run/plan-job.ts';
import type { RunParts } from '../../src/run/run-parts.ts';
import { answerOf, domains } from '../engine/queue/small-world.ts';
import { succeeded } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { day } from '../support/test-job.ts';
import { companiesOf, jobIn, runNight, tableIn, world } from './nights.ts';

const now = Date.UTC(2026, 4, 1, 2);
const all = domains.length;

const showing = (at: number) => ({ ...systemClock, wallMs: () => at });

/** Runs a job on a machine whose clock shows this time. */
const runAt = (
  job: ResolvedJob,
  at: number,
  changes: Partial<RunParts> = { acceptsClock: true },
  answer = (call: Call) => answerOf(world, call),
) => runNight(job, 0, answer, { clock: showing(at), ...changes });

/** Companies without people, which are reused for a week. */
function weekly(folder: string): ResolvedJob {
  const job = jobIn(folder);
  return { ...job, people: undefined, reuse: { ...job.reuse, companiesMs: 7 * day } };
}

const startsOf = ({ ledger: path, name }: ResolvedJob) => {
  using ledger = openLedger(path);
  return ledger.starts.list(name).map(({ startedAt, reason }) => [startedAt, reason]);
};

test('a start that is a day later than now stops a run before its first call, until it is accepted', async () => {
  using folder = temporaryFolder();
  const job = weekly(folder.path);
  await runAt(job, now + 30 * day);
  const refused = {
    code: 'CLOCK_AHEAD',
    message:
      'the last start on this ledger was at 2026-05-31 02:00 UTC, but the clock of this machine shows 2026-05-01 02:00 UTC',
  };
  const unexpected = () => {
    throw new Error('a call was made');
  };
  // Refused as often as it is tried, and for every job of the ledger.
  await expect(runAt(job, now, {}, unexpected)).rejects.toMatchObject(refused);
  const other = { ...job, name: 'other' };
  await expect(runAt(other, now, {}, unexpected)).rejects.toMatchObject(refused);
  const plan = await planJob(job, { clock: showing(now) });
  expect(plan).toMatchObject({ clockAhead: refused.message, calls: { companies: 0 } });
  expect(startsOf(job)).toEqual([
    [now, 'CLOCK_AHEAD'],
    [now + 30 * day, null],
  ]);

  await runAt(job, now);
  // From then on, the wrong start counts for nothing.
  expect((await planJob(job, { clock: showing(now + day) })).clockAhead).toBeUndefined();
  await succeeded(runAt(job, now + day, {}));
});

test.each([
  // Ahead once: the answers count from the next start.
  { days: [30, 0, 6, 8, 31], buying: [30, 8, 31] },
  // Behind for some starts: nothing is bought again.
  { days: [0, -20_000, -19_999, 1, 6, 8], buying: [0, 8] },
  { days: [0, -300, -100, -99, 4], buying: [0] },
  // Who knows which clock was wrong; the answers are one day old.
  { days: [30, 0, 31], buying: [30] },
])('starts on days $days look up all companies only on $buying', async ({ days, buying }) => {
  using folder = temporaryFolder();
  const job = weekly(folder.path);
  for (const at of days) {
    const { calls } = await planJob(job, { clock: showing(now + at * day) });
    const { asked } = await runAt(job, now + at * day);
    const lookedUp = buying.includes(at) ? all : 0;
    expect([calls.companies, companiesOf(asked)], `day ${at}`).toEqual([lookedUp, lookedUp]);
  }
});

test('`retain` counts from the first start after the clock was ahead, and erases then', async () => {
  using folder = temporaryFolder();
  const job = { ...weekly(folder.path), retain: { companiesMs: 8 * day, peopleMs: 8 * day } };
  await runAt(job, now + 300 * day);
  const second = await runAt(job, now);
  expect(tableIn(job, 'companies')[0]).toMatchObject({ fetched_at: '2027-02-25T02:00:00.000Z' });
  using ledger = openLedger(job.ledger);
  const shownOn = (at: number) => {
    const records = ledger.records({ suppressed: [], ...job.retain }, now + at * day);
    return [...records.ofRun(second.run, undefined).rows()].map(({ reason }) => reason ?? 'shown');
  };
  expect(new Set(shownOn(7))).toEqual(new Set(['shown']));
  expect(new Set(shownOn(9))).toEqual(new Set(['expired']));
  await runAt(job, now + 9 * day);
  expect(ledger.calls.answer(1)).toBeUndefined();
});

test('a run that began with the clock ahead goes on with the right one and its start', async () => {
  using folder = temporaryFolder();
  const usual = weekly(folder.path);
  const job = { ...usual, limits: { ...usual.limits, concurrency: 1 } };
  let answers = 0;
  const stopping = (call: Call) => {
    answers += 1;
    if (answers > 2) throw new DossierError('INTERRUPTED', 'enough');
    return answerOf(world, call);
  };
  await expect(runAt(job, now + 30 * day, {}, stopping)).rejects.toThrow('enough');
  const { asked, isResumed, run } = await runAt(job, now);
  expect([companiesOf(asked), isResumed, run.startedAt]).toEqual([all - 2, true, now]);
});
