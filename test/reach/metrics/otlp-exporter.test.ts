import { afterEach, expect, test, vi } from 'vitest';
import { openOtlpExporter } from '../../../src/reach/metrics/otlp-exporter.ts';
import { openCollector } from '../../support/collector.ts';
import { openHostileServer } from '../../support/hostile-server.ts';

afterEach(() => vi.unstubAllEnvs());

function open(url: string) {
  return openOtlpExporter(new URL('/v1/metrics', url), 'nightly', '1.2.3');
}

test.each(['', 'gzip'])(
  'a collector gets all three kinds of metric (compression %j)',
  async (way) => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_COMPRESSION', way);
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Bearer%20token');
    await using collector = await openCollector();
    const exporter = open(collector.url);
    exporter.record('dossier.retries', 2, { operation: 'people' });
    exporter.record('dossier.run.rows', 5, { status: 'open' });
    exporter.record('dossier.attempt.duration', 0.3, { operation: 'company' });
    await exporter.send();
    exporter.record('dossier.retries', 1, { operation: 'people' });
    exporter.record('dossier.run.rows', 4, { status: 'open' });
    await exporter.send();
    await exporter.close();

    const job = { job_name: 'nightly' };
    expect(collector.received).toHaveLength(2);
    expect(collector.value('dossier.retries', { ...job, operation: 'people' })).toBe(3);
    expect(collector.value('dossier.run.rows', { ...job, status: 'open' })).toBe(4);
    const { headers, resource, metrics, path } = collector.received[0] ?? {};
    expect(path).toBe('/v1/metrics');
    expect(headers?.authorization).toBe('Bearer token');
    expect(headers?.['content-encoding']).toBe(way === '' ? undefined : way);
    expect(resource).toMatchObject({ 'service.name': 'dossier', 'service.version': '1.2.3' });
    const histogram = metrics?.find(({ name }) => name === 'dossier.attempt.duration');
    expect(histogram).toMatchObject({ unit: 's', histogram: { dataPoints: [{ count: 1 }] } });
  },
);

test('the error of a collector that refuses holds its status, not its body', async () => {
  await using server = await openHostileServer({ status: 403, body: 'your token abc is bad' });
  const exporter = open(server.url);
  exporter.record('dossier.run.running', 1, {});
  await expect(exporter.send()).rejects.toThrow(/^HTTP 403$/);
});

test('a collector that is not there, or never ends its answer, is given up', async () => {
  await using dripping = await openHostileServer({ drip: 'body', body: 'x'.repeat(10_000) });
  const gone = await openCollector();
  await gone[Symbol.asyncDispose]();
  const give = async (url: string) => {
    const exporter = open(url);
    exporter.record('dossier.run.running', 1, {});
    await exporter.send().finally(() => exporter.close());
  };
  await Promise.all([
    expect(give(gone.url)).rejects.toThrow('ECONNREFUSED'),
    expect(give(dripping.url)).rejects.toThrow('no answer in time'),
  ]);
});
