import { expect, test } from 'vitest';
import { metricTable } from '../../src/integrations/metrics/metric-table.ts';
import { parseMetrics, valueIn } from '../support/parse-metrics.ts';
import { succeeded } from '../support/run-dossier.ts';
import { listOfDomains } from './sample-companies.ts';
import { journeyKey, openWorkplace, summaryOf } from './workplace.ts';

const service = { companies: 20, people: 2 };
const job = {
  name: 'leads',
  input: { path: 'leads.csv' },
  service: { price: { company: 0.12, people: 0.02, currency: 'AUD' } },
  people: { seniority: [3] },
  limits: { attempts: 2, concurrency: 4 },
};

test('the metrics file agrees with the summary of a run', async () => {
  await using workplace = await openWorkplace(service, (_, index) =>
    index === 3 ? { status: 500, body: '{}' } : undefined,
  );
  workplace.write('leads.csv', listOfDomains(25));
  const path = workplace.write('job.yaml', JSON.stringify(job));
  const flags = ['--metrics-file', 'leads.prom'];
  const finished = await succeeded(workplace.run([path, ...flags]));

  const text = workplace.read('leads.prom');
  const { rows, people, calls, requests, money, possibleMoney } = summaryOf(finished);
  // What may be charged: the request that failed may have been.
  const cost = (money[0]?.amount ?? 0) + (possibleMoney[0]?.amount ?? 0);
  const metrics = parseMetrics(text);
  // Absent in a first run without a rate or a budget.
  const absent = ['dossier_run_changes', 'dossier_rate', 'dossier_run_budget_left'].concat(
    'dossier_ledger_snapshot_timestamp_seconds',
  );
  const names = Object.keys(metricTable).filter((name) => !absent.includes(name));
  expect([...metrics.keys()].sort()).toEqual(names.sort());
  expect(valueIn(text, 'dossier_run_requests')).toBe(requests);
  expect(valueIn(text, 'dossier_run_cost')).toBeCloseTo(cost);
  for (const status of ['matched', 'not_found', 'invalid', 'failed'] as const) {
    expect(valueIn(text, 'dossier_run_rows', { status })).toBe(rows[status]);
  }
  expect(valueIn(text, 'dossier_run_people')).toBe(people);
  expect(valueIn(text, 'dossier_run_calls', { source: 'called' })).toBe(calls.made);
  const attempts = metrics.get('dossier_attempts_total') ?? [];
  expect(attempts.reduce((sum, { value }) => sum + value, 0)).toBe(workplace.seen.length);
  expect(workplace.seen.length).toBe(calls.made + 1);
  expect(valueIn(text, 'dossier_retries_total', { operation: 'company' })).toBe(1);
  expect(text).not.toContain(journeyKey);
});
