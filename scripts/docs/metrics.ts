import {
  type Metric,
  type MetricName,
  metricTable,
} from '../../src/integrations/metrics/metric-table.ts';
import { fillIn, table } from './markdown.ts';

/** docs/metrics.md, from the table that the file is made from. */
export function metricsPage(): string {
  const rows = (Object.keys(metricTable) as MetricName[]).map(row);
  const metrics = table(['metric', 'type', 'says', 'labels'], rows);
  return fillIn('docs/metrics.md', { metrics });
}

function row(name: MetricName): string[] {
  const { type, help, labels, bounds }: Metric = metricTable[name];
  const values = Object.entries(labels).map(([label, all]) => `\`${label}\`: ${all.join(', ')}`);
  const buckets = bounds ? [`buckets up to ${bounds.join(', ')}`] : [];
  return [`\`${name}\``, type, help, [...values, ...buckets].join('<br>')];
}
