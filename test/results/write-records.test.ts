import { expect, test } from 'vitest';
import type { PeopleRecord } from '../../src/core/columns/run-records.ts';
import type { RunRecord } from '../../src/core/columns/tables.ts';
import { noCounts } from '../../src/core/rules/outcomes.ts';
import { noChanges } from '../../src/results/changes.ts';
import { writeRecords } from '../../src/results/sink.ts';
import { foundTonight, matchedRow, rejectedRow } from '../core/columns/sample-records.ts';
import { sampleNames, sourceOf } from './sample-run.ts';

const rows = Array.from({ length: 1_000 }, (_, index) =>
  index % 4 === 0 ? rejectedRow(index + 1) : matchedRow(index + 1, { company: { id: 'c' } }),
);
const people: PeopleRecord[] = Array.from({ length: 100 }, (_, index) => ({
  companyId: `c_${index}`,
  country: 'AU',
  rows: [index + 1],
  rowKeys: [`crm-${index + 1}`],
  ...foundTonight,
  searches: [
    {
      seniority: null,
      department: null,
      position: null,
      isComplete: true,
      pages: [
        { fetchedAt: '2026-08-22T04:20:00.000Z', people: [{ person_id: `p${index}` }, null] },
      ],
    },
  ],
}));

/** A sink that keeps what it is given. */
function keepingSink() {
  const records: RunRecord[] = [];
  const write = (record: RunRecord) => void records.push(record);
  return { write, records };
}

test('records come one by one and in their order, so that memory stays flat', async () => {
  const { write, records } = keepingSink();
  const counts = await writeRecords(sourceOf(rows, people), [{ write }], sampleNames);
  expect(counts).toEqual({
    rows: { ...noCounts().rows, total: 1_000, matched: 750, not_found: 250 },
    people: 100,
    changes: { since: null, ...noChanges() },
  });
  const numbers = records.flatMap(({ row }) => row?.row.number ?? []);
  expect(numbers).toEqual(rows.map(({ number }) => number));
  const ids = records.flatMap(({ person }) => person?.[1] ?? []);
  expect(ids).toEqual(people.map((_, index) => `p${index}`));
});

test('a sink that fails ends the writing', async () => {
  let taken = 0;
  const write = async () => {
    taken += 1;
    if (taken === 2) throw new Error('the disk is full');
  };
  const writing = writeRecords(sourceOf(rows), [{ write }], sampleNames);
  await expect(writing).rejects.toThrow('the disk is full');
  expect(taken).toBe(2);
});

test('an abort ends the writing before the next record', async () => {
  const controller = new AbortController();
  let taken = 0;
  const write = async () => {
    taken += 1;
    controller.abort();
  };
  const sinks = [{ write }];
  await expect(
    writeRecords(sourceOf(rows), sinks, sampleNames, controller.signal),
  ).rejects.toThrow();
  expect(taken).toBe(1);
});
