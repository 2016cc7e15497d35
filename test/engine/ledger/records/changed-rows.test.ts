import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordedRun } from '../../../../src/core/columns/run-records.ts';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { testJob } from '../../../support/test-job.ts';
import { completeTestRun, ingestTestRun, listOf } from '../../../support/test-run.ts';
import { answerOf, arbitraryWorld, domains } from '../../queue/small-world.ts';

const job = testJob({
  input: { ...testJob().input, key: ['id'] },
  identify: [{ column: 'website', as: 'fqdn' }],
});
const row = fc.tuple(fc.integer({ min: 1, max: 8 }).map(String), fc.constantFrom(...domains, ''));
const list = fc.uniqueArray(row, { selector: ([id]) => id, maxLength: 8 });

test('what is told to have changed is all that differs between two runs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(list, { minLength: 2, maxLength: 4 }), arbitraryWorld, tellsAll),
    { numRuns: 8 },
  );
});

test('rows of one key that change places are not told as replaced', async () => {
  using ledger = openLedger(':temporary:');
  const [one = '', other = '', third = ''] = domains;
  const runs: RecordedRun[] = [];
  for (const websites of [
    [one, other],
    [third, other, one],
    [other, third],
  ]) {
    const given = listOf(
      ['id', 'website'],
      websites.map((website) => ['7', website]),
    );
    const started = await ingestTestRun(ledger, job, given, 1_000, ledger.runs.list(job.name)[0]);
    ledger.runs.finish(started.run.id, 2_000);
    runs.push({ ...started.run, finishedAt: 2_000 });
  }
  const told = (base = 0, run = 0) =>
    [...ledger.records.changed(runs[base] as RecordedRun, runs[run] as RecordedRun).rows()].map(
      ({ key, before, after }) => [key, before?.record.cells[1], after?.record.cells[1]],
    );
  expect(told(0, 1)).toEqual([
    ['7', undefined, third],
    ['7#3', one, one],
  ]);
  expect(told(1, 2)).toEqual([
    ['7', other, other],
    ['7#2', third, third],
    ['7#3', one, undefined],
  ]);
});

async function tellsAll(
  lists: readonly (readonly (readonly string[])[])[],
  world: typeof arbitraryWorld extends fc.Arbitrary<infer World> ? World : never,
): Promise<void> {
  using ledger = openLedger(':temporary:');
  const runs: RecordedRun[] = [];
  for (const rows of lists) {
    const given = listOf(['id', 'website'], rows);
    const [follows] = ledger.runs.list(job.name);
    const started = await ingestTestRun(ledger, job, given, 1_000, follows);
    await completeTestRun(started, { send: async (call) => answerOf(world, call) });
    ledger.runs.finish(started.run.id, 2_000);
    runs.push({ ...started.run, finishedAt: 2_000 });
  }
  const recordsOf = (run: RecordedRun) =>
    new Map(
      [...ledger.records.of(run, () => expect.unreachable()).rows()].map((record) => [
        record.key,
        { ...record, number: 0 },
      ]),
    );
  for (const base of runs) {
    for (const run of runs.filter(({ id }) => id >= base.id)) {
      const [before, after] = [recordsOf(base), recordsOf(run)];
      const changed = ledger.records.changed(base, run);
      const told = [...changed.rows()];
      expect(new Set(told.map(({ key }) => key)).size).toBe(told.length);
      for (const { key, before: one, after: other } of told) {
        expect(one && { ...one.record, number: 0 }).toEqual(before.get(key));
        expect(other && { ...other.record, number: 0 }).toEqual(after.get(key));
      }
      const keys = new Set(told.map(({ key }) => key));
      for (const key of new Set([...before.keys(), ...after.keys()])) {
        if (!keys.has(key)) expect(before.get(key)).toEqual(after.get(key));
      }
    }
  }
}
