import { expect, test } from 'vitest';
import type { PeopleRecord } from '../../src/ledger/run-records.ts';
import { noChanges } from '../../src/records/changes/change.ts';
import type { EncodePlan } from '../../src/sinks/encode/encode-batch.ts';
import type { EncodedLines } from '../../src/sinks/lines/encode-lines.ts';
import { writeRecords } from '../../src/sinks/write-records.ts';
import { foundTonight, matchedRow, rejectedRow } from '../records/sample-records.ts';
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

const choice = { columns: ['all'], order: 'result-first' } as const;
const files = [
  { name: 'companies.csv', table: 'companies', tables: ['companies'], format: 'csv', choice },
  { name: 'people.csv', table: 'people', tables: ['people'], format: 'csv', choice },
  { name: 'rejects.csv', table: 'rejects', tables: ['rejects'], format: 'csv', choice },
] as const;
const plan: EncodePlan = {
  ...{
    headers: ['Company Name', 'ABN'],
    files,
    names: sampleNames,
    options: { excelSafe: false, delimiter: ',' },
    isTallied: false,
  },
};

/** A sink that keeps the batches that it is given. */
function keepingSink(name: string) {
  const batches: { readonly rows: number; readonly text: string }[] = [];
  const write = async ({ rows, bytes }: EncodedLines) => {
    batches.push({ rows, text: Buffer.from(bytes).toString() });
  };
  return { name, write, batches };
}

test('records come in batches and in their order, so that memory stays flat', async () => {
  const sinks = files.map(({ name }) => keepingSink(name));
  const counts = await writeRecords(sourceOf(rows, people), sinks, plan);
  expect(counts).toEqual({
    ...{ rows: 1_000, matched: 750, not_found: 250, invalid: 0, failed: 0, open: 0, people: 100 },
    stale: 0,
    changes: noChanges(),
  });
  const [companies, persons, rejects] = sinks.map(({ batches }) => ({
    rows: batches.reduce((sum, batch) => sum + batch.rows, 0),
    lines: batches.flatMap(({ text }) => text.split('\n').slice(0, -1)),
    largest: Math.max(...batches.map((batch) => batch.rows)),
  }));
  expect([companies?.rows, persons?.rows, rejects?.rows]).toEqual([1_000, 100, 250]);
  expect(companies?.largest).toBeLessThan(200);
  expect(persons?.largest).toBeLessThan(50);
  expect(companies?.lines.map((line) => Number.parseInt(line, 10))).toEqual(
    rows.map(({ number }) => number),
  );
  expect(persons?.lines.map((line) => line.split(',')[1])).toEqual(
    people.map((_, index) => `p${index}`),
  );
});

test('a sink that fails ends the writing', async () => {
  let taken = 0;
  const write = async () => {
    taken += 1;
    if (taken === 2) throw new Error('the disk is full');
  };
  const writing = writeRecords(sourceOf(rows), [{ name: 'companies.csv', write }], plan);
  await expect(writing).rejects.toThrow('the disk is full');
  expect(taken).toBe(2);
});

test('an abort ends the writing before the next batch', async () => {
  const controller = new AbortController();
  let taken = 0;
  const write = async () => {
    taken += 1;
    controller.abort();
  };
  const sinks = [{ name: 'companies.csv', write }];
  await expect(writeRecords(sourceOf(rows), sinks, plan, controller.signal)).rejects.toThrow();
  expect(taken).toBe(1);
});
