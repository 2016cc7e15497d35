import { open, readFile, stat } from 'node:fs/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { writeFileAtomically } from '../runtime/files/atomic-file.ts';
import { jobLabel, type MetricName, metricFacts, prometheusName } from './metric-table.ts';
import type { Exporter } from './recorder.ts';

type Instrument = (labels: object, value: number) => void;

/** Writes metrics to a file for node_exporter's textfile collector; each send replaces the file. */
export async function openPrometheusFile(path: string, job: string): Promise<Exporter> {
  const registry = new Registry();
  registry.setDefaultLabels({ [jobLabel]: job });
  const instruments = new Map<MetricName, Instrument>();
  const record = (name: MetricName, value: number, labels: object) => {
    // Metrics are registered with their first value: an exit code of 0 would mean success.
    const instrument = instruments.get(name) ?? openInstrument(registry, name);
    instruments.set(name, instrument);
    instrument(labels, value);
  };

  const lastSuccess = await readLastSuccess(path, job);
  if (lastSuccess !== undefined) record('dossier.run.last_success.timestamp', lastSuccess, {});
  return {
    name: `the metrics file ${path}`,
    record,
    // The format requires a newline at the end, and the registry writes none.
    async send() {
      if (!(await isReplaceable(path))) {
        throw new Error(`${path} holds something else than metrics and is left as it is`);
      }
      await writeFileAtomically(path, `${await registry.metrics()}\n`);
    },
    close: async () => {},
  };
}

/** Only metrics and empty files are replaced, so that a wrong path destroys no ledger or list. */
async function isReplaceable(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) return true;
  if (!facts.isFile()) return false;
  const mark = Buffer.from('# HELP ');
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(mark.length), 0, mark.length, 0);
  return bytesRead === 0 || buffer.equals(mark);
}

function openInstrument(registry: Registry, metric: MetricName): Instrument {
  const { type, help, labels, bounds } = metricFacts(metric);
  const options = {
    name: prometheusName(metric),
    help,
    labelNames: Object.keys(labels),
    registers: [registry],
  };
  switch (type) {
    case 'counter': {
      const counter = new Counter(options);
      return (values, value) => counter.inc(values, value);
    }
    case 'gauge': {
      const gauge = new Gauge(options);
      return (values, value) => gauge.set(values, value);
    }
    case 'histogram': {
      const histogram = new Histogram({ ...options, ...(bounds && { buckets: [...bounds] }) });
      return (values, value) => histogram.observe(values, value);
    }
  }
}

/** Reads the time of the last success from the present file, so that a failed run keeps it. */
async function readLastSuccess(path: string, job: string): Promise<number | undefined> {
  if (!(await isReplaceable(path))) return undefined;
  const text = await readFile(path, 'utf8').catch(() => '');
  const series = `${prometheusName('dossier.run.last_success.timestamp')}{${jobLabel}="${job}"} `;
  const line = text.split('\n').find((candidate) => candidate.startsWith(series));
  const seconds = Number(line?.slice(series.length));
  return Number.isFinite(seconds) ? seconds : undefined;
}
