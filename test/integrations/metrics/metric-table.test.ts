import { expect, test } from 'vitest';
import { jobLabel, metricTable } from '../../../src/integrations/metrics/metric-table.ts';

test.each(Object.entries(metricTable))('%s says what it is', (name, { help, labels, type }) => {
  expect(name).toMatch(/^dossier(_[a-z]+)+$/);
  expect(name.endsWith('_total')).toBe(type === 'counter');
  expect(help).toMatch(/^[A-Z0-9].*\.$/);
  for (const label of Object.keys(labels)) expect(label).not.toBe(jobLabel);
});
