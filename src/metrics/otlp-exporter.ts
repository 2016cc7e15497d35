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

/** Limit for one delivery with all its attempts, so that a collector that hangs delays no run. */
const timeoutMs = 3_000;
/** The reader sends nothing by itself: the meter has to be updated before each send. */
const neverMs = 2 ** 31 - 1;

/** Sends metrics to a collector. OpenTelemetry's own variables set headers and compression. */
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
    // The exporter's timeout restarts with every byte; this one also ends a slow trickle.
    exportTimeoutMillis: timeoutMs + 500,
  });
  const provider = new MeterProvider({ readers: [reader], resource: describeResource(version) });
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
    // Not provider.shutdown(): it sends once more and waits for a collector that hangs.
    close: async () => agent.destroy(),
  };
}

/** Reports the result of each delivery, which the reader does not tell. */
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
    // The exporter's own forceFlush waits forever for an answer that does not end.
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

/** Name and version of Dossier; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override them. */
function describeResource(version: string) {
  const attributes = { 'service.name': 'dossier', 'service.version': version };
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return defaultResource()
    .merge(resourceFromAttributes(attributes))
    .merge(detectResources({ detectors }));
}

/** Only the status of the collector's answer, because its body is text of another system. */
function describe(error: Error): string {
  const status = 'code' in error && typeof error.code === 'number' ? error.code : undefined;
  return status === undefined ? error.message : `HTTP ${status}`;
}
