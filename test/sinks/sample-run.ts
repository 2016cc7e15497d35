import { departmentNames, seniorityNames } from '../../src/contract/reference.ts';
import type { PeopleRecord, RowRecord } from '../../src/ledger/run-records.ts';
import { schemaVersion } from '../../src/records/columns.ts';
import type { AtomicFile } from '../../src/runtime/files/atomic-file.ts';
import type { ManifestFacts } from '../../src/sinks/manifest.ts';
import type { RecordSource } from '../../src/sinks/write-records.ts';

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

export const sampleNames = { seniority: seniorityNames, department: departmentNames };

export const sampleFacts: ManifestFacts = {
  sampleData: false,
  form: 'a form',
  version: '0.1.0',
  schemaVersion,
  run: {
    id: 'r_1',
    startedAt: '2026-08-22T04:00:00.000Z',
    endedAt: '2026-08-22T04:30:00.000Z',
    changesSince: null,
  },
  job: { name: 'lead-list', fingerprint: 'a1b2', list: '/leads.csv' },
  input: { name: 'leads.csv', fingerprint: 'c3d4', corrections: 0 },
  complete: true,
  held: null,
  calls: { made: 2, failed: 0, saved: 1 },
};

/** A target that keeps what it is given, so that a writer can be looked at without a disk. */
export function memoryTarget(): AtomicFile & { bytes(): Buffer; writes(): number } {
  const chunks: Buffer[] = [];
  const bytes = () => Buffer.concat(chunks);
  return {
    path: 'memory',
    publish: async () => {},
    discard: async () => {},
    write: async (chunk) => {
      chunks.push(Buffer.from(chunk));
    },
    seal: async () => ({ bytes: bytes().length, sha256: 'not hashed here' }),
    bytes,
    writes: () => chunks.length,
  };
}
