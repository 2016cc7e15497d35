import { expect, test } from 'vitest';
import { hideDashes } from '../../../src/cli/options/option-values.ts';
import { metricsOptions } from '../../../src/cli/run/metrics-options.ts';

test('a file and the address of a collector are taken as they are', () => {
  expect(metricsOptions['metrics-file'].coerce('run.prom')).toBe('run.prom');
  expect(metricsOptions.otlp.coerce('https://collector/otel')).toBe('https://collector/otel');
});

test.each(['', ['a.prom', 'b.prom'], hideDashes(['-'])[0]])(
  '--metrics-file does not take %j',
  (given) => {
    expect(() => metricsOptions['metrics-file'].coerce(given)).toThrow(/^--metrics-file takes/);
  },
);

test.each(['user:secret@collector', 'ftp://user:secret@collector', 'secret'])(
  '--otlp does not take %j, and does not repeat it',
  (given) => {
    expect(() => metricsOptions.otlp.coerce(given)).toThrow(/^--otlp takes an address like [^@]+$/);
  },
);
