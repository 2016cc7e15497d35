import { expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { lookAtRun } from '../../src/report/look-at-run.ts';
import { answerOf, domains, type SmallWorld } from '../queue/small-world.ts';
import { testJob } from '../support/test-job.ts';
import { completeTestRun, ingestTestRun, listOf } from '../support/test-run.ts';

const world: SmallWorld = {
  companies: [{ id: 'c_0', abn: undefined, fqdn: domains[0], slug: undefined, people: {} }],
  others: {},
  pageLimit: 9,
  saysTotal: true,
};

async function halfDone() {
  const ledger = openLedger(':temporary:');
  const rows = [[domains[0]], ['absent.com.au'], ['no domain at all']];
  const given = await ingestTestRun(ledger, testJob(), listOf(['website'], rows));
  const before = await given.queue.counts();
  const counts = await completeTestRun(given, { send: async (call) => answerOf(world, call) });
  return { ...given, before, counts };
}

test('a run is seen with its rows, its calls and what came last', async () => {
  const { ledger, run, before, counts } = await halfDone();
  using _ledger = ledger;
  const look = { ledger, run, name: 'r1', version: '1', seenAt: 5 };

  const early = lookAtRun({ ...look, isRunning: true, counts: before });
  expect(early.run.state).toBe('running');
  expect(early.rows).toMatchObject({ total: 3, invalid: 1, open: 2 });

  const late = lookAtRun({ ...look, isRunning: true, counts });
  expect(late.run.state).toBe('writing');
  expect(late).toMatchObject({ rows: { matched: 1, not_found: 1 }, calls: { made: 2, open: 0 } });
  expect(late.recent.map(({ asked, outcome }) => `${asked} ${outcome}`).sort()).toEqual([
    ...['absent.com.au miss', `${domains[0]} hit`],
  ]);
});

test('a run whose process is gone is not finished, and its open rows need attention', async () => {
  const { ledger, run, before } = await halfDone();
  using _ledger = ledger;
  const look = { ledger, run, name: 'r1', version: '1', seenAt: 5 };
  const { run: seen, attention } = lookAtRun({ ...look, isRunning: false, counts: before });
  expect(seen.state).toBe('interrupted');
  expect(attention.map(({ title }) => title)).toEqual([
    'The run has not finished',
    '2 rows were not asked for yet',
  ]);
});
