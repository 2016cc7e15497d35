import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openMetrics } from '../../../src/integrations/metrics/open-metrics.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { valueIn } from '../../support/parse-metrics.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function createParts() {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line) => lines.push(line) });
  const parts = { job: 'nightly', clock: systemClock, log, everyMs: 20 };
  return { parts, lines };
}

test('the file is updated during the run and at its end', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'nightly.prom');
  const metrics = await openMetrics(file, createParts().parts);
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
  const { parts, lines } = createParts();
  const metrics = await openMetrics(file, parts);
  await expect.poll(() => lines).toHaveLength(1);
  await metrics.end(0);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'metrics.lost', to: `the metrics file ${file}` },
  ]);
  rmSync(file, { recursive: true });
});
