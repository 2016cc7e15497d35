import { open, readFile, stat } from 'node:fs/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { memo } from '../../core/values/memo.ts';
import { writeFileAtomically } from '../../platform/files/atomic-file.ts';
import {
  jobLabel,
  type Metric,
  type MetricName,
  metricTable,
  type RecordMetric,
} from './metric-table.ts';

export async function createPrometheusFile(path: string, job: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ [jobLabel]: job });
  // Registered at its first value, because a metric without a value is written as 0. As an exit
  // code, 0 would mean success.
  const instrument = memo((name: MetricName) => createInstrument(registry, name));
  const record: RecordMetric = (name, value, labels = {} as never) =>
    instrument(name)(labels, value);
  const lastSuccess = await readLastSuccess(path, job);
  if (lastSuccess !== undefined) record('dossier_run_last_success_timestamp_seconds', lastSuccess);
  return {
    record,
    async write() {
      if (!(await isReplaceable(path))) {
        throw new Error(`${path} contains something other than metrics and was not changed`);
      }
      // The registry omits the final newline, which the format requires.
      await writeFileAtomically(path, `${await registry.metrics()}\n`);
    },
  };
}

function createInstrument(registry: Registry, name: MetricName) {
  const { type, help, labels, bounds = [] }: Metric = metricTable[name];
  const labelNames = [...Object.keys(labels), 'service'];
  const options = { name, help, labelNames, registers: [registry] };
  if (type === 'counter') {
    const counter = new Counter(options);
    return (values: object, value: number) => counter.inc(values, value);
  }
  if (type === 'gauge') {
    const gauge = new Gauge(options);
    return (values: object, value: number) => gauge.set(values, value);
  }
  const histogram = new Histogram({ ...options, buckets: [...bounds] });
  return (values: object, value: number) => histogram.observe(values, value);
}

/** A wrong path must not overwrite a ledger or list. */
async function isReplaceable(path: string) {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) return true;
  if (!facts.isFile()) return false;
  const mark = Buffer.from('# HELP ');
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(mark.length), 0, mark.length, 0);
  return bytesRead === 0 || buffer.equals(mark);
}

/** A failed run must keep the time of the last success. */
async function readLastSuccess(path: string, job: string) {
  const text = await readFile(path, 'utf8').catch(() => '');
  const series = `dossier_run_last_success_timestamp_seconds{${jobLabel}="${job}"} `;
  const line = text.split('\n').find((candidate) => candidate.startsWith(series));
  const seconds = Number(line?.slice(series.length));
  return Number.isFinite(seconds) ? seconds : undefined;
}
