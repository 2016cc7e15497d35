import { expect, test } from 'vitest';
import { Manifest } from '../../../src/results/manifest.ts';
import { runColumns } from '../../../src/results/tables.ts';
import { noRecords, sampleFacts } from '../sample-run.ts';

test('a manifest is a record of runs: its fields by their paths, lists as JSON', () => {
  const { rows, changes } = noRecords();
  const manifest = Manifest.parse({
    ...sampleFacts,
    ...{ rows: { ...rows, total: 3, matched: 2, not_found: 1 }, people: 4, files: [] },
    changes: { ...changes, row_added: 3 },
  });
  const record = Object.fromEntries(runColumns.map(({ name, value }) => [name, value(manifest)]));
  expect(record).toMatchObject({
    ...{ sample_data: false, complete: true, held: null, schema_version: '1.0' },
    ...{ run_id: 'r_1', run_started_at: '2026-08-22T04:00:00.000Z', run_changes_since: null },
    ...{ job_name: 'lead-list', calls_saved: 1, counts_rows: 3, counts_changes_row_added: 3 },
    ...{ spend_requests: 2, spend_money: '[]', files: '[]' },
  });
  expect(runColumns.filter(({ description }) => description === '')).toEqual([]);
});
