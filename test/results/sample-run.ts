import { schemaVersion } from '../../src/core/columns/columns.ts';
import type { PeopleRecord, RowRecord } from '../../src/core/columns/run-records.ts';
import { departmentNames, seniorityNames } from '../../src/core/contract/reference.ts';
import { noCounts } from '../../src/core/rules/outcomes.ts';
import type { AtomicFile } from '../../src/platform/files/atomic-file.ts';
import { noChanges } from '../../src/results/compare-runs.ts';
import type { ManifestHead } from '../../src/results/manifest.ts';
import type { RecordSource } from '../../src/results/sink.ts';
import { foundTonight } from '../core/columns/sample-records.ts';

export function sourceOf(
  rows: readonly RowRecord[],
  people?: readonly PeopleRecord[],
): RecordSource {
  return {
    records: {
      inputColumns: ['Company Name', 'ABN'],
      hasPeople: people !== undefined,
      rows: () => rows,
      people: () => people ?? [],
    },
  };
}

/** People of a company, found by one search. */
export function peopleOf(companyId: string, people: readonly unknown[]): PeopleRecord {
  return {
    companyId,
    serviceId: 1,
    country: 'AU',
    rows: [1],
    rowKeys: ['crm-1'],
    listCompany: 'Acme',
    ...foundTonight,
    searches: [
      {
        seniority: '3',
        department: null,
        position: null,
        isComplete: true,
        pages: [{ fetchedAt: '2026-08-22T04:20:00.000Z', people }],
      },
    ],
  };
}

export const sampleNames = { seniority: seniorityNames, department: departmentNames };

export const sampleFacts: ManifestHead = {
  sampleData: false,
  form: 'a form',
  version: '0.1.0',
  schemaVersion,
  run: 'r_1',
  startedAt: '2026-08-22T04:00:00.000Z',
  endedAt: '2026-08-22T04:30:00.000Z',
  job: 'lead-list',
  jobFingerprint: 'a1b2',
  list: 'leads.csv',
  listPath: '/leads.csv',
  listFingerprint: 'c3d4',
  corrections: 0,
  limit: null,
  complete: true,
  held: null,
  calls: { made: 2, shared: 1, reused: 0, joined: 0, saved: 1, failed: 0, open: 0 },
  failedSearches: 0,
  incompleteSearches: 0,
  requests: 2,
  money: [],
  possibleMoney: [],
  unpriced: 0,
};

/** What is known of a run without records. */
export const noRecords = () => ({
  rows: { total: 0, ...noCounts().rows },
  people: 0,
  changes: { since: null, ...noChanges() },
  warnings: [],
});

/** A target that keeps what it is given, so that a writer can be looked at without a disk. */
export function memoryTarget(): AtomicFile & { bytes(): Buffer; writes(): number } {
  const chunks: Buffer[] = [];
  const bytes = () => Buffer.concat(chunks);
  return {
    path: 'memory',
    publish: async () => {},
    discard: async () => {},
    async [Symbol.asyncDispose]() {},
    write: async (chunk) => {
      chunks.push(Buffer.from(chunk));
    },
    seal: async () => ({ bytes: bytes().length, sha256: 'not hashed here', crc32: '' }),
    bytes,
    writes: () => chunks.length,
  };
}

/** The order of runs of different ledgers. */
export const startedAfter =
  (facts: ManifestHead) =>
  ({ startedAt = '' }: { startedAt?: string }): boolean =>
    Date.parse(startedAt) > Date.parse(facts.startedAt);
