import { expect, test } from 'vitest';
import { otlpTarget } from '../../../src/reach/metrics/open-metrics.ts';

const collector = 'http://127.0.0.1:4318';

test('without a flag or a variable there is no target', () => {
  expect(otlpTarget(undefined, {})).toBeUndefined();
  expect(otlpTarget(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
});

test.each([
  ['--otlp', collector, {}, '/v1/metrics'],
  ['a path with a slash', `${collector}/otel/`, {}, '/otel/v1/metrics'],
  ['the endpoint', undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: collector }, '/v1/metrics'],
  [
    'the endpoint of metrics, as it is',
    undefined,
    {
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector}/mine`,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://elsewhere',
    },
    '/mine',
  ],
  ['the flag over all', collector, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, '/v1/metrics'],
])('%s decides where metrics go', (_, flag, env, path) => {
  expect(otlpTarget(flag, env)?.href).toBe(collector + path);
});

test.each([{ OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_METRICS_EXPORTER: 'none' }])(
  'it stays off with %j',
  (off) => {
    expect(otlpTarget(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: collector, ...off })).toBe(
      undefined,
    );
  },
);

test('the error for an unsupported target does not hold the password of the address', () => {
  const grpc = { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  expect(() => otlpTarget(undefined, grpc)).toThrow('http/json');
  const odd = { OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://user:secret@host' };
  expect(() => otlpTarget(undefined, odd)).toThrow(/^OTEL_EXPORTER_OTLP_ENDPOINT takes/);
});
