import { expect, test } from 'vitest';
import { noChanges } from '../../../src/records/changes.ts';
import { Manifest } from '../../../src/sinks/manifest.ts';
import { runColumns } from '../../../src/sinks/tables.ts';
import { sampleFacts } from '../sample-run.ts';

test('a manifest is a record of runs: its fields by their paths, lists as JSON', () => {
  const counts = { rows: 3, matched: 2, not_found: 1, invalid: 0, failed: 0, open: 0, stale: 0 };
  const manifest = Manifest.parse({
    ...sampleFacts,
    counts: { ...counts, people: 4, changes: { ...noChanges(), row_added: 3 } },
    files: [],
  });
  const record = Object.fromEntries(runColumns.map(({ name, value }) => [name, value(manifest)]));
  expect(record).toMatchObject({
    ...{ sample_data: false, complete: true, held: null, schema_version: '1.0' },
    ...{ run_id: 'r_1', run_started_at: '2026-08-22T04:00:00.000Z', run_changes_since: null },
    ...{ job_name: 'lead-list', calls_saved: 1, counts_rows: 3, counts_changes_row_added: 3 },
    // Sample data is not charged for, so its manifest has no spend.
    ...{ spend_requests: null, spend_money: null, files: '[]' },
  });
  expect(runColumns.filter(({ description }) => description === '')).toEqual([]);
});
