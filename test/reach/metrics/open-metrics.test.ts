import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/runtime/clock.ts';
import { openMetrics } from '../../../src/reach/metrics/open-metrics.ts';
import { openCollector } from '../../support/collector.ts';
import { valueIn } from '../../support/parse-metrics.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function openParts() {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line) => lines.push(line) });
  const parts = { job: 'nightly', version: '1.2.3', clock: systemClock, log, everyMs: 20 };
  return { parts, lines };
}

test('the file follows the run while it goes on, and tells its end', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'nightly.prom');
  const metrics = await openMetrics({ file, otlp: undefined, env: {} }, openParts().parts);
  const retries = () => valueIn(readFileSync(file, 'utf8'), 'dossier_retries_total');
  for (const wanted of [1, 2]) {
    const facts = { operation: 'company', attempt: 1, reason: 'HTTP 500', waitMs: 1 } as const;
    metrics.meter?.onEvent({ type: 'retry.scheduled', ...facts });
    await expect.poll(retries).toBe(wanted);
  }
  expect(valueIn(readFileSync(file, 'utf8'), 'dossier_run_exit_code')).toBeUndefined();
  await metrics.end(3);
  const text = readFileSync(file, 'utf8');
  expect(valueIn(text, 'dossier_run_exit_code')).toBe(3);
  expect(valueIn(text, 'dossier_run_running')).toBe(0);
});

test('trouble is one warning, however long it lasts, and no trouble of the run', async () => {
  using folder = temporaryFolder();
  // The path of the metrics file is a folder.
  const file = join(folder.path, 'nightly.prom');
  mkdirSync(file);
  await using collector = await openCollector(400);
  const { parts, lines } = openParts();
  const otlp = collector.url.replace('//', '//user:secret@');
  const metrics = await openMetrics({ file, otlp, env: {} }, parts);
  while (collector.received.length < 3) await delay(5);
  await metrics.end(0);
  expect(
    lines.map((line) => JSON.parse(line)).sort((a, b) => (a.to < b.to ? -1 : 1)),
  ).toMatchObject([
    { msg: 'metrics.lost', to: `the collector at ${new URL(collector.url).host}` },
    { msg: 'metrics.lost', to: `the metrics file ${file}` },
  ]);
  expect(lines.join('')).not.toContain('secret');
  rmSync(file, { recursive: true });
});

test('invalid variables are logged, and the run goes on without metrics', async () => {
  const { parts, lines } = openParts();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' };
  const metrics = await openMetrics({ file: undefined, otlp: undefined, env }, parts);
  expect(metrics.meter).toBeUndefined();
  expect(await metrics.watch(async () => 'done')).toBe('done');
  await metrics.end(0);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('metrics.unavailable');
});
