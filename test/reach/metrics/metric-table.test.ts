import { expect, test } from 'vitest';
import {
  jobLabel,
  metricFacts,
  metricNames,
  prometheusName,
} from '../../../src/reach/metrics/metric-table.ts';

test.each(metricNames)('%s has a name that Prometheus takes, and says what it is', (name) => {
  const { help, labels, unit, type } = metricFacts(name);
  expect(prometheusName(name)).toMatch(/^dossier(_[a-z]+)+$/);
  expect(prometheusName(name).endsWith('_total')).toBe(type === 'counter');
  expect(unit).toMatch(/^(s|\{[a-z]+\})$/);
  expect(help).toMatch(/^[A-Z0-9].*\.$/);
  for (const label of Object.keys(labels)) expect(label).not.toBe(jobLabel);
});

test('no two metrics share a name in Prometheus', () => {
  expect(new Set(metricNames.map(prometheusName)).size).toBe(metricNames.length);
});
