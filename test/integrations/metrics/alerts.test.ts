import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { exitCodes } from '../../../src/core/errors/exit-codes.ts';
import { metricTable } from '../../../src/integrations/metrics/metric-table.ts';
import { packagePath } from '../../../src/platform/package-path.ts';
import { testWhere } from '../../support/needs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const page = readFileSync(packagePath('docs/metrics.md'), 'utf8');
const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
const alerts = parse(yaml) as readonly Alert[];

test('alerts are about metrics that there are', () => {
  const known = Object.keys(metricTable);
  for (const { alert, expr } of alerts) {
    const used = expr.match(/dossier_[a-z_]+/g) ?? [];
    expect(used.length, alert).toBeGreaterThan(0);
    expect(known, alert).toEqual(expect.arrayContaining(used));
  }
});

test('a person is needed after the documented exit codes', () => {
  const { expr = '' } = alerts.find(({ alert }) => alert === 'DossierNeedsAPerson') ?? {};
  const codes = [...expr.matchAll(/== (\d+)/g)].map(([, code]) => Number(code));
  const documented = Object.entries(exitCodes).filter(([, { again }]) => again === 'person');
  expect(codes).toEqual(documented.map(([code]) => Number(code)));
});

const success = 'dossier_run_last_success_timestamp_seconds{job_name="nightly"}';
const exitCode = 'dossier_run_exit_code{job_name="nightly"}';
const breach = (expectation: string) =>
  `dossier_run_expectation_breached{job_name="nightly", expectation="${expectation}"}`;
const running = ['running', 'started_timestamp_seconds', 'duration_seconds'].map(
  (name) => `dossier_run_${name}{job_name="nightly"}`,
);

/** Samples every ten minutes, as promtool writes them: those of a pod end with its run. */
const byPod = (value: number) => `${value} _x1000`;
const byFile = (value: number) => `${value}x170`;

testWhere('promtool')('they fire wherever the file was, and not before', () => {
  const none = [] as const;
  const cases = [
    firing('DossierNotDone', { series: [[success, byPod(60)]], quiet: '25h', fires: '27h' }),
    firing('DossierNotDone', { series: [[success, byFile(60)]], quiet: '25h', fires: '27h' }),
    // It has never run well, or the collector is gone.
    firing('DossierNotDone', { series: none, fires: '5m' }),
    firing('DossierNeedsAPerson', { series: [[exitCode, byPod(77)]], fires: '12h' }),
    firing('DossierNeedsAPerson', { series: [[exitCode, byPod(69)]], quiet: '12h' }),
    firing('DossierHeld', {
      series: [
        [breach('rows'), byPod(1)],
        [breach('failed'), byPod(0)],
      ],
      fires: '12h',
    }),
    firing('DossierVanished', {
      series: running.map((name, index) => [name, byPod([1, 0, 180][index] ?? 0)] as const),
      quiet: '4m',
      fires: '1h',
    }),
  ];
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'rules.yaml'), JSON.stringify({ groups: [group] }));
  writeFileSync(
    join(folder.path, 'test.yaml'),
    JSON.stringify({ rule_files: ['rules.yaml'], evaluation_interval: '10m', tests: cases }),
  );
  const promtool = (...args: string[]) =>
    execFileSync('promtool', args, { cwd: folder.path, encoding: 'utf8' });
  expect(promtool('check', 'rules', 'rules.yaml')).toContain(`${alerts.length} rules found`);
  expect(promtool('test', 'rules', 'test.yaml')).toContain('SUCCESS');
});

const group = { name: 'dossier', rules: alerts };

interface Firing {
  readonly series: readonly (readonly [name: string, values: string])[];
  readonly quiet?: string;
  readonly fires?: string;
}

/** A test of promtool: the alert is quiet at one time, and fires for the job at another. */
function firing(alertname: string, { series, quiet, fires }: Firing) {
  const { annotations } = alerts.find(({ alert }) => alert === alertname) ?? {};
  const firesForJob = [{ exp_labels: { job_name: 'nightly' }, exp_annotations: annotations }];
  return {
    interval: '10m',
    input_series: series.map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [
      ...(quiet ? [{ eval_time: quiet, alertname, exp_alerts: [] }] : []),
      ...(fires ? [{ eval_time: fires, alertname, exp_alerts: firesForJob }] : []),
    ],
  };
}
