import { expect, test } from 'vitest';
import { comparableWith, isPublished, type Run } from '../../src/engine/ledger/runs/runs.ts';
import { chooseRuns } from '../../src/facts/changes.ts';

const day = 24 * 3_600_000;
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

test('a time goes back to the run that was the newest then, or to the oldest there is', () => {
  const ledger = ledgerWith({ day: 80 }, { day: 90 }, { day: 92 }, { day: 99 });
  expect(chosen(ledger, { sinceMs: 7 * day })).toEqual([3, 4, undefined]);
  expect(chosen(ledger, { sinceMs: 9 * day })).toEqual([2, 4, undefined]);
  const note = 'No complete run is at least 30d old; comparing with the oldest run, r1.';
  expect(chosen(ledger, { sinceMs: 30 * day })).toEqual([1, 4, note]);
});

test('the first run has nothing before it, and a pruned one no rows', () => {
  const note = 'r1 is the first complete run of leads, so there is no earlier run to compare with.';
  expect(chosen(ledgerWith({ day: 99 }))).toEqual([undefined, 1, note]);
  const pruned = ledgerWith({ day: 90, prunedAt: now }, { day: 92 }, { day: 99 });
  expect(chosen(pruned, { sinceMs: 9 * day })[0]).toBe(2);
  const gone =
    'The runs of leads before r2 were pruned, so there is no earlier run to compare with.';
  expect(chosen(pruned, { to: 2 })).toEqual([undefined, 2, gone]);
  expect(() => chosen(pruned, { from: 1 })).toThrow('r1 of leads was pruned on 1970-04-11');
  expect(() => chosen(ledgerWith())).toThrow('leads has no complete run yet');
});
