import fc from 'fast-check';
import { expect, test } from 'vitest';
import { identifierKinds } from '../../../src/contract/identifier-kinds.ts';
import type { RowRecord } from '../../../src/ledger/run-records.ts';
import { peopleColumns } from '../../../src/records/columns/people-columns.ts';
import { batchOfRows } from '../../../src/records/record-batch.ts';
import { openBatchTally, openRunTally, type RunTally } from '../../../src/sinks/tally/run-tally.ts';
import { arbitraryAnswer } from '../../records/flatten/arbitrary-answer.ts';
import { fullCompany, matchedRow, rejectedRow } from '../../records/sample-records.ts';

const inputWidth = 2;

function fold(rows: readonly RowRecord[]): RunTally {
  return openBatchTally()(batchOfRows(rows, inputWidth));
}

/** As it would come from another thread. */
function travelled(tally: RunTally): RunTally {
  return JSON.parse(JSON.stringify(tally)) as RunTally;
}

const arbitraryRow = fc.oneof(
  fc.record({
    company: arbitraryAnswer(),
    match: fc.constantFrom('exact', 'alias', 'joined', 'mismatch', 'unverified'),
    askedBy: fc.constantFrom(...identifierKinds),
  }),
  fc.record({
    status: fc.constantFrom('not_found', 'invalid', 'failed'),
    reason: fc.constantFrom('blank', 'not_found', '__proto__'),
    company: fc.constant(undefined),
    match: fc.constant(null),
    askedBy: fc.constant(null),
  }),
) as fc.Arbitrary<Partial<RowRecord>>;

test('batches that are folded apart and merged in their order say the same as the whole', () => {
  fc.assert(
    fc.property(fc.array(arbitraryRow, { maxLength: 12 }), fc.nat(12), (drafts, cut) => {
      const rows = drafts.map((changes, index) => matchedRow(index + 1, changes));
      const parts = [fold(rows.slice(0, cut)), fold(rows.slice(cut))];
      const merged = openRunTally();
      for (const part of parts) merged.merge(travelled(part));
      expect(merged.facts()).toEqual(fold(rows));
    }),
    { numRuns: 60 },
  );
});

test('the sample is that of one fold, whichever thread has which batch', () => {
  const company = { id: 'c' };
  const rows = Array.from({ length: 9_000 }, (_, index) =>
    index % 10 === 3 ? rejectedRow(index + 1) : matchedRow(index + 1, { company }),
  );
  const threads = [openBatchTally(), openBatchTally()] as const;
  const merged = openRunTally();
  for (let first = 0; first < rows.length; first += 128) {
    const thread = first % 3 === 0 ? threads[0] : threads[1];
    merged.merge(thread(batchOfRows(rows.slice(first, first + 128), inputWidth)));
  }
  expect(merged.facts()).toEqual(fold(rows));
  expect(merged.facts().sample.matched).toHaveLength(3_000);
});

test('rows are counted by the identifier that was asked for, and by how they ended', () => {
  const tally = fold([
    matchedRow(1),
    matchedRow(2, { match: 'mismatch', askedBy: 'fqdn' }),
    rejectedRow(3),
    rejectedRow(4, { status: 'invalid', reason: 'blank', askedBy: null, cells: ['Acme', 'n/a'] }),
  ]);
  expect(new Map(tally.outcomes.names)).toEqual(
    new Map([
      ['abn matched', 1],
      ['fqdn matched', 1],
      ['abn not_found', 1],
      ['none invalid', 1],
    ]),
  );
  expect(tally.reasons.map(({ reason, rows }) => [reason, rows])).toEqual([
    ['not_found', 1],
    ['blank', 1],
  ]);
  expect(tally.reasons[1]?.examples[0]).toMatchObject({ row: 4, input: 'Acme · n/a' });
  const { name: company, fqdn: domain } = fullCompany();
  expect(tally.sample.mismatch).toMatchObject([{ row: 2, company, domain }]);
});

test('fields are filled only by something, and a drift is told with its first row', () => {
  const tally = fold([
    matchedRow(1),
    matchedRow(2, { company: { id: 'c', name: '', industries: [], rank: 1 } }),
    matchedRow(3, { company: { id: 'c', rank: 2 } }),
  ]);
  const { companies, filled, drift, industries } = tally.company;
  expect(companies).toBe(3);
  // The id is always there, the name was blank once and absent once.
  expect(filled.slice(0, 2)).toEqual([3, 1]);
  expect(new Map(industries.names)).toEqual(
    new Map([
      ['Construction', 1],
      ['Furniture', 1],
    ]),
  );
  expect(drift).toEqual([
    { path: 'rank', expected: 'no such field', found: 'integer', rows: 2, firstRow: 2 },
  ]);
});

test('people are counted for every search that found them, and by how they can be reached', () => {
  const person = peopleColumns.map(({ name, type }) => {
    if (name === 'seniority') return ['3', '4'];
    // Whoever is of an earlier search is reached in no other way.
    return type === 'boolean' ? name === 'has_email' || name === 'stale' : null;
  });
  const tally = openBatchTally()({ rows: [], people: [person, person], changes: [] });
  const { people, seniorities, channels } = tally.people;
  expect(people).toBe(2);
  expect(seniorities.names).toEqual([
    ['3', 2],
    ['4', 2],
  ]);
  expect(channels.names).toEqual([['has_email', 2]]);
});
