import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import { jobLabel, type MetricName, metricFacts, metricNames } from './metric-table.ts';
import { openAgent } from './otlp-agent.ts';
import type { Exporter } from './recorder.ts';

type Meter = ReturnType<MeterProvider['getMeter']>;
type Instrument = (value: number, labels: Record<string, string>) => void;

/** For one delivery with all its attempts: a collector that hangs holds no run. */
const timeoutMs = 3_000;
/** We say when to send, so that what is sent was settled first. */
const neverMs = 2 ** 31 - 1;

/** Pushes metrics to a collector; headers and compression come from the variables of OpenTelemetry. */
export function openOtlpExporter(target: URL, job: string, version: string): Exporter {
  const agent = openAgent(target.protocol, process.env);
  const deliveries: { error?: Error }[] = [];
  const exporter = new OTLPMetricExporter({
    url: target.href,
    timeoutMillis: timeoutMs,
    httpAgentOptions: () => agent,
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: withResults(exporter, (result) => deliveries.push(result)),
    exportIntervalMillis: neverMs,
    // The exporter counts silence only; a collector that answers byte by byte ends here.
    exportTimeoutMillis: timeoutMs + 500,
  });
  const provider = new MeterProvider({ readers: [reader], resource: describeSelf(version) });
  const meter = provider.getMeter('dossier', version);
  const instruments = new Map(metricNames.map((name) => [name, openInstrument(meter, name)]));

  return {
    name: `the collector at ${target.host}`,
    record: (metric, value, labels) =>
      instruments.get(metric)?.(value, { ...labels, [jobLabel]: job }),
    async send() {
      deliveries.length = 0;
      await reader.forceFlush();
      const [delivery] = deliveries;
      if (!delivery) throw new Error('no answer in time');
      if (delivery.error) throw new Error(describe(delivery.error));
    },
    // Not provider.shutdown(): it sends once more, and waits for whoever does not answer.
    close: async () => agent.destroy(),
  };
}

/** Hands on what comes of each delivery, which the reader keeps to itself. */
function withResults(
  exporter: OTLPMetricExporter,
  onResult: (result: { error?: Error }) => void,
): PushMetricExporter {
  return {
    export: (metrics, done) =>
      exporter.export(metrics, (result) => {
        onResult(result);
        done(result);
      }),
    selectAggregation: (type) => exporter.selectAggregation(type),
    selectAggregationTemporality: (type) => exporter.selectAggregationTemporality(type),
    // It would wait without an end for an answer that has none.
    forceFlush: async () => {},
    shutdown: async () => {},
  };
}

function openInstrument(meter: Meter, metric: MetricName): Instrument {
  const { type, unit, help, bounds } = metricFacts(metric);
  const options = { unit, description: help };
  switch (type) {
    case 'counter': {
      const counter = meter.createCounter(metric, options);
      return (value, labels) => counter.add(value, labels);
    }
    case 'gauge': {
      const gauge = meter.createGauge(metric, options);
      return (value, labels) => gauge.record(value, labels);
    }
    case 'histogram': {
      const advice = { explicitBucketBoundaries: [...(bounds ?? [])] };
      const histogram = meter.createHistogram(metric, { ...options, advice });
      return (value, labels) => histogram.record(value, labels);
    }
  }
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come before what we say of ourselves. */
function describeSelf(version: string) {
  const self = { 'service.name': 'dossier', 'service.version': version };
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return defaultResource()
    .merge(resourceFromAttributes(self))
    .merge(detectResources({ detectors }));
}

/** Of what the collector says only the status: its text is not ours to print. */
function describe(error: Error): string {
  const status = 'code' in error && typeof error.code === 'number' ? error.code : undefined;
  return status === undefined ? error.message : `HTTP ${status}`;
}
