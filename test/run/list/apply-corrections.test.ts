import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RowPlan } from '../../../src/core/identify/identify-row.ts';
import type { IdentifiedRow } from '../../../src/engine/queue/run-queue.ts';
import type { Correction } from '../../../src/job/corrections.ts';
import { correctionsDigest, createCorrector } from '../../../src/run/list/corrector.ts';
import { ingest, lookAtRows } from '../../../src/run/list/ingest.ts';
import { testJob } from '../../support/test-job.ts';
import { listOf } from '../../support/test-run.ts';

const columns = ['name', 'website', 'country'];
const plan: RowPlan = {
  identify: [{ index: 1, as: 'auto' }],
  country: { index: 2, default: 'AU' },
};
const job = testJob({
  identify: [{ column: 'website', as: 'auto' }],
  country: { column: 'country', default: 'AU' },
});

async function read(rows: readonly (readonly string[])[], corrections: readonly Correction[]) {
  const identified: IdentifiedRow[] = [];
  const queue = lookAtRows((some) => identified.push(...some));
  const { applied } = await ingest(queue, job, listOf(columns, rows), { corrections });
  return { identified, applied };
}

const cell = fc.constantFrom('', 'acme.com', 'acme,com', 'beta.com.au', 'n/a', 'AU', 'Germany');
const lists = fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 });
const edits = fc.array(
  fc.record({ row: fc.nat(9), column: fc.constantFrom(...columns, 'gone'), was: cell, now: cell }),
  { maxLength: 8 },
);

test('corrections change the cells that still hold the rejected value, and no key, row or other cell', async () => {
  await fc.assert(
    fc.asyncProperty(lists, edits, async (rows, given) => {
      const { identified: plain } = await read(rows, []);
      const byCell = new Map<string, Correction>();
      for (const { row, column, was, now } of given) {
        const row_key = plain[row]?.key ?? `none ${row}`;
        const correction = { row_key, column, was, now, at: '2026-11-16T00:00:00Z' };
        byCell.set(JSON.stringify([row_key, column, was]), correction);
      }
      const corrections = [...byCell.values()];
      const { identified, applied } = await read(rows, corrections);
      const expected = rows.map((cells, index) =>
        cells.map((text, place) => {
          if (place === 0) return text;
          const found = corrections.find(
            ({ row_key, column, was }) =>
              row_key === plain[index]?.key && column === columns[place] && was === text,
          );
          return found?.now ?? text;
        }),
      );
      expect(identified.map(({ key }) => key)).toEqual(plain.map(({ key }) => key));
      expect(identified.map(({ number }) => number)).toEqual(plain.map(({ number }) => number));
      expect(identified.map(({ cells }) => cells)).toEqual(expected);
      expect(new Set(applied).size).toBe(applied.length);
      // A fixed row asks for what a row with these cells would ask for.
      const { identified: asIfWritten } = await read(expected, []);
      const asked = identified.map(({ candidates, country, reject }) => [
        candidates,
        country,
        reject,
      ]);
      expect(asked).toEqual(
        asIfWritten.map(({ candidates, country, reject }) => [candidates, country, reject]),
      );
    }),
    { numRuns: 30 },
  );
});

test('a row that could not be read whole is not fixed', () => {
  const corrections = createCorrector(
    [{ row_key: 'k', column: 'website', was: 'a', now: 'b', at: '2026-11-16T00:00:00Z' }],
    columns,
  );
  const cells = ['', 'a', ''];
  expect(corrections.fix('k', cells, 'A quote is never closed.', plan)).toBe(undefined);
  expect(corrections.fix('k', cells, undefined, plan)?.cells).toEqual(['', 'b', '']);
});

test('the same corrections have the same fingerprint, in any order and at any time', () => {
  const one = { row_key: '1', column: 'website', was: 'a', now: 'b', at: '2026-11-16T00:00:00Z' };
  const other = { ...one, row_key: '2' };
  const later = { ...one, at: '2026-11-17T00:00:00Z' };
  expect(correctionsDigest([one, other])).toBe(correctionsDigest([other, later]));
  expect(correctionsDigest([one])).not.toBe(correctionsDigest([{ ...one, now: 'c' }]));
  expect(correctionsDigest([])).toBe('');
});
