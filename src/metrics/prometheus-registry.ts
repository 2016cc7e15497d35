import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { jobLabel, type MetricName, metricFacts, prometheusName } from './metric-table.ts';
import type { Recorder } from './recorder.ts';

type Instrument = (labels: object, value: number) => void;

export interface PrometheusRegistry extends Recorder {
  /** Every metric that was recorded, in the text format of Prometheus. */
  text(): Promise<string>;
}

/** Keeps metrics for Prometheus, each with the name of the job. */
export function openPrometheusRegistry(job: string): PrometheusRegistry {
  const registry = new Registry();
  registry.setDefaultLabels({ [jobLabel]: job });
  const instruments = new Map<MetricName, Instrument>();
  return {
    record(name, value, labels) {
      // Metrics are registered with their first value: an exit code of 0 would mean success.
      const instrument = instruments.get(name) ?? openInstrument(registry, name);
      instruments.set(name, instrument);
      instrument(labels, value);
    },
    // The format requires a newline at the end, and the registry writes none.
    text: async () => `${await registry.metrics()}\n`,
  };
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
