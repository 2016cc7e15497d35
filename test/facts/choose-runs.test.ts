import { expect, test } from 'vitest';
import { comparableWith, isPublished, type Run } from '../../src/engine/ledger/runs/runs.ts';
import { chooseRuns } from '../../src/facts/choose-runs.ts';
import { day } from '../support/test-job.ts';

const now = 100 * day;

/** Runs of the given days, newest last, as a ledger lists them. */
function ledgerWith(...given: (Partial<Run> & { readonly day: number })[]) {
  const runs = given.map(({ day: ended, ...facts }, index) => ({
    ...{
      id: index + 1,
      job: 'leads',
      inputPath: '/leads.csv',
      state: 'finished',
      kind: 'whole',
      held: null,
    },
    prunedAt: null,
    finishedAt: ended * day,
    ...facts,
  })) as unknown as Run[];
  return {
    runs: {
      list: () => runs.toReversed(),
      newestPublished: () => runs.findLast((run) => isPublished(run) && run.prunedAt === null),
      get: (id: number) => runs.find((run) => run.id === id),
      comparable: (run: Run) => comparableWith(run, runs.filter(isPublished).toReversed()),
    },
  } as unknown as Parameters<typeof chooseRuns>[0];
}

const none = { from: undefined, to: undefined, sinceMs: undefined };

function chosen(ledger: ReturnType<typeof ledgerWith>, wanted: Partial<typeof none> | object = {}) {
  const { base, run, notes } = chooseRuns(ledger, 'leads', { ...none, ...wanted }, now);
  return [base?.id, run.id, notes[0]];
}

test('the newest result is compared with the one before, over whatever is none', () => {
  const held = { held: [] } as unknown as Partial<Run>;
  const ledger = ledgerWith(
    { day: 90 },
    { day: 91, state: 'superseded' },
    { day: 92, kind: 'trial' },
    { day: 93, ...held },
    { day: 94 },
    { day: 95, state: 'open' },
  );
  expect(chosen(ledger)).toEqual([1, 5, undefined]);
  // A held result can be looked at, to see what is wrong with it.
  expect(chosen(ledger, { to: 4 })).toEqual([1, 4, undefined]);
  expect(() => chosen(ledger, { to: 6 })).toThrow('r6 is not complete');
  expect(() => chosen(ledger, { from: 3 })).toThrow('r3 has only the first rows');
});
