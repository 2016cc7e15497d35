import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  type Exporter,
  jobLabel,
  type MetricName,
  metricFacts,
  metricNames,
} from './metric-table.ts';

/** Limit for one delivery with all its attempts, so that a collector that hangs delays no run. */
const timeoutMs = 3_000;
/** The reader sends nothing by itself: the meter has to be updated before each send. */
const neverMs = 2 ** 31 - 1;

/** Sends metrics to a collector. OpenTelemetry's own variables set headers and compression. */
export function openOtlpExporter(target: URL, job: string, version: string): Exporter {
  const agent = openAgent(target.protocol);
  /** The result of the last delivery, which the reader does not tell. */
  let delivered: { error?: Error } | undefined;
  const exporter = new OTLPMetricExporter({
    url: target.href,
    timeoutMillis: timeoutMs,
    httpAgentOptions: () => agent,
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: {
      export: (metrics, done) =>
        exporter.export(metrics, (result) => {
          delivered = result;
          done(result);
        }),
      selectAggregation: (type) => exporter.selectAggregation(type),
      selectAggregationTemporality: (type) => exporter.selectAggregationTemporality(type),
      // The exporter's own forceFlush waits forever for an answer that does not end.
      forceFlush: async () => {},
      shutdown: async () => {},
    },
    exportIntervalMillis: neverMs,
    // The exporter's timeout restarts with every byte; this one also ends a slow trickle.
    exportTimeoutMillis: timeoutMs + 500,
  });
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come last.
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'dossier', 'service.version': version }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
  const meter = new MeterProvider({ readers: [reader], resource }).getMeter('dossier', version);
  const instruments = new Map(metricNames.map((name) => [name, openInstrument(meter, name)]));

  return {
    name: `the collector at ${target.host}`,
    record: (metric, value, labels) =>
      instruments.get(metric)?.(value, { ...labels, [jobLabel]: job }),
    async send() {
      delivered = undefined;
      await reader.forceFlush();
      const result = delivered as { error?: Error & { code?: unknown } } | undefined;
      if (!result) throw new Error('no answer in time');
      const { error } = result;
      // Only the status of the collector's answer, because its body is text of another system.
      if (error) throw typeof error.code === 'number' ? new Error(`HTTP ${error.code}`) : error;
    },
    // Not provider.shutdown(): it sends once more and waits for a collector that hangs.
    close: () => agent.destroy(),
  };
}

/**
 * Opens the sockets to a collector. The exporter cannot close its own, so a collector that never
 * ends its answer would keep the process alive. An agent of ours has to read the certificates, too.
 */
function openAgent(protocol: string): HttpAgent {
  if (protocol === 'http:') return new HttpAgent({ keepAlive: true });
  const read = (file: string) => {
    const { env } = process;
    const path = env[`OTEL_EXPORTER_OTLP_METRICS_${file}`] || env[`OTEL_EXPORTER_OTLP_${file}`];
    return path ? readFileSync(path) : undefined;
  };
  return new HttpsAgent({
    keepAlive: true,
    ca: read('CERTIFICATE'),
    cert: read('CLIENT_CERTIFICATE'),
    key: read('CLIENT_KEY'),
  });
}

type Meter = ReturnType<MeterProvider['getMeter']>;
type Values = Record<string, string>;

function openInstrument(meter: Meter, metric: MetricName) {
  const { type, unit, help: description, bounds = [] } = metricFacts(metric);
  if (type === 'counter') {
    const counter = meter.createCounter(metric, { unit, description });
    return (value: number, labels: Values) => counter.add(value, labels);
  }
  const instrument =
    type === 'gauge'
      ? meter.createGauge(metric, { unit, description })
      : meter.createHistogram(metric, {
          unit,
          description,
          advice: { explicitBucketBoundaries: [...bounds] },
        });
  return (value: number, labels: Values) => instrument.record(value, labels);
}
