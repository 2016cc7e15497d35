import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPrometheusFile } from '../../../src/integrations/metrics/prometheus-file.ts';
import { parseMetrics, valueIn } from '../../support/parse-metrics.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const lastSuccess = 'dossier_run_last_success_timestamp_seconds';

test('the file has all recorded values, and no others', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'nightly.prom');
  const exporter = await createPrometheusFile(path, 'nightly');
  expect(existsSync(path)).toBe(false);
  exporter.record('dossier_retries_total', 2, { operation: 'people' });
  exporter.record('dossier_retries_total', 1, { operation: 'people' });
  exporter.record('dossier_run_rows', 7, { status: 'open' });
  exporter.record('dossier_run_rows', 5, { status: 'open' });
  for (const seconds of [0.02, 0.3, 45]) {
    exporter.record('dossier_attempt_duration_seconds', seconds, { operation: 'company' });
  }
  await exporter.write();

  const text = readFileSync(path, 'utf8');
  const families = parseMetrics(text);
  expect([...families.keys()].sort()).toEqual([
    'dossier_attempt_duration_seconds',
    'dossier_retries_total',
    'dossier_run_rows',
  ]);
  const labels = { job_name: 'nightly' };
  expect(valueIn(text, 'dossier_retries_total', { ...labels, operation: 'people' })).toBe(3);
  expect(valueIn(text, 'dossier_run_rows', { ...labels, status: 'open' })).toBe(5);
  const bucket = 'dossier_attempt_duration_seconds_bucket';
  expect(valueIn(text, bucket, { le: '0.5' })).toBe(2);
  expect(valueIn(text, bucket, { le: '+Inf' })).toBe(3);
  expect(valueIn(text, 'dossier_attempt_duration_seconds_count')).toBe(3);
});

test('when the job last went well outlives a run that does not', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'nightly.prom');
  const good = await createPrometheusFile(path, 'nightly');
  good.record('dossier_run_last_success_timestamp_seconds', 1_790_000_000.5, {});
  good.record('dossier_run_exit_code', 0, {});
  await good.write();

  const bad = await createPrometheusFile(path, 'nightly');
  bad.record('dossier_run_exit_code', 69, {});
  await bad.write();
  const text = readFileSync(path, 'utf8');
  expect(valueIn(text, lastSuccess)).toBe(1_790_000_000.5);
  expect(valueIn(text, 'dossier_run_exit_code')).toBe(69);
});

test.each(['', '# HELP of nothing', `# HELP x\n${lastSuccess}{job_name="other"} 5\n`])(
  'a file that holds %j says nothing of this job',
  async (before) => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'nightly.prom');
    writeFileSync(path, before);
    const exporter = await createPrometheusFile(path, 'nightly');
    exporter.record('dossier_run_running', 1, {});
    await exporter.write();
    expect(valueIn(readFileSync(path, 'utf8'), lastSuccess)).toBeUndefined();
  },
);

test('a file with other content is not changed', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'companies.csv');
  const exporter = await createPrometheusFile(path, 'nightly');
  writeFileSync(path, 'row,status\n');
  exporter.record('dossier_run_rows', 7, { status: 'open' });
  await expect(exporter.write()).rejects.toThrow('contains something other than metrics');
  expect(readFileSync(path, 'utf8')).toBe('row,status\n');
});
