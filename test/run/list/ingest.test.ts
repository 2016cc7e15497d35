import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openLedger } from '../../../src/engine/ledger/open-ledger.ts';
import type { OpenInput } from '../../../src/lists/open-input.ts';
import { ingest } from '../../../src/run/list/ingest.ts';
import { testJob } from '../../support/test-job.ts';
import { ingestTestRun, listOf, startTestRun } from '../../support/test-run.ts';

const job = testJob({
  identify: [{ column: 'website', as: 'fqdn' }],
  country: { column: 'country', default: 'AU' },
});
const columns = ['website', 'country'];

test('a stop while reading leaves a run that the next one removes', async () => {
  using ledger = openLedger(':temporary:');
  const rows = Array.from({ length: 6_000 }, (_, index) => [`d${index}.com.au`]);
  const { queue, run } = startTestRun(ledger, job);
  const controller = new AbortController();
  const onIngest = () => controller.abort(new Error('enough'));
  const { signal } = controller;
  const reading = ingest(queue, job, listOf(columns, rows), { onIngest, signal });
  await expect(reading).rejects.toThrow('enough');
  expect(ledger.lists.size(run.listId)).toBe(5_000);
  expect(ledger.runs.newest(job.name)).toBeUndefined();
});

/** JSON lines of 6,000 objects, of which the last alone has the column. */
function lateList(column: string): OpenInput {
  const seen = ['name'];
  async function* read() {
    for (let number = 1; number < 6_000; number += 1) {
      yield [{ number, line: number, cells: ['x'] }];
    }
    seen.push(column);
    yield [{ number: 6_000, line: 6_000, cells: ['x', 'acme.com.au'] }];
  }
  return { ...listOf(seen, []), format: 'jsonl', batches: read() };
}

test('a key column that only the last object has is its key, and one that no object has is refused', async () => {
  using ledger = openLedger(':temporary:');
  const named = (key: string) => testJob({ input: { ...testJob().input, key: [key] }, identify });
  const identify = [{ column: 'name', as: 'fqdn' as const }];
  const { run } = await ingestTestRun(ledger, named('crm'), lateList('crm'));
  const keys = [
    ...ledger
      .records(undefined)
      .ofRun(run, () => expect.unreachable())
      .rows(),
  ].map(({ key }) => key);
  expect(keys.at(-1)).toBe('acme.com.au');
  expect(keys.at(-2)).toBe(`${keys[0]}#5999`);
  expect(run.keyColumns).toEqual(['crm']);
  await expect(ingestTestRun(ledger, named('crm'), lateList('crms'))).rejects.toThrow(
    'no column "crm"; did you mean "crms"?',
  );
});

test('a row has the same key in any order of the list', async () => {
  using ledger = openLedger(':temporary:');
  const site = fc.constantFrom('acme.com.au', 'www.beta.com', 'not a domain', '', 'abn');
  const row = fc.tuple(site, fc.constantFrom('AU', 'nz', 'Atlantis', ''));
  const lists = fc
    .uniqueArray(row, {
      selector: ([one, other]) => `${one || 'x'} ${other || 'AU'}`,
      maxLength: 12,
    })
    .chain((rows) =>
      fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
    );
  await fc.assert(
    fc.asyncProperty(lists, async ([one, other]) => {
      const keysOf = async (rows: readonly string[][]) => {
        const { run } = await ingestTestRun(ledger, job, listOf(columns, rows));
        const records = [
          ...ledger
            .records(undefined)
            .ofRun(run, () => expect.unreachable())
            .rows(),
        ];
        return records.map(({ key, cells }) => `${key} ${JSON.stringify(cells)}`).sort();
      };
      expect(await keysOf(one)).toEqual(await keysOf(other));
    }),
    { numRuns: 10 },
  );
});
