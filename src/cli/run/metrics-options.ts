import { DossierError } from '../../errors.ts';
import { filePath, singleText } from '../options/option-values.ts';

export interface MetricsArguments {
  'metrics-file': string | undefined;
  otlp: string | undefined;
}

/** Shared by every command that measures itself. */
export const metricsOptions = {
  'metrics-file': {
    requiresArg: true,
    coerce: (given: unknown) => filePlace(singleText('metrics-file')(given)),
    describe: 'Keep metrics in this file, for the textfile collector of Prometheus',
  },
  otlp: {
    requiresArg: true,
    coerce: (given: unknown) => collectorAddress(singleText('otlp')(given)),
    describe: 'Send metrics to this OpenTelemetry collector; also OTEL_EXPORTER_OTLP_ENDPOINT',
  },
} as const;

/** It is replaced again and again, which standard output cannot be. */
function filePlace(given: string): string {
  const path = filePath(given);
  if (path !== '-') return path;
  throw new DossierError('USAGE', '--metrics-file takes the path of a file');
}

function collectorAddress(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return text;
  // Not quoted: an address may hold a password.
  throw new DossierError('USAGE', '--otlp takes an address like http://127.0.0.1:4318');
}
