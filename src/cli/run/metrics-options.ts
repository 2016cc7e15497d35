import { DossierError } from '../../errors.ts';
import { filePath, singlePath, singleText } from '../options/option-values.ts';

export interface MetricsArguments {
  'metrics-file': string | undefined;
  otlp: string | undefined;
}

/** The options that say where a run sends its metrics. */
export const metricsOptions = {
  'metrics-file': {
    requiresArg: true,
    coerce: (given: unknown) => metricsPath(singlePath('metrics-file')(given)),
    describe: 'Keep metrics in this file, for the textfile collector of Prometheus',
  },
  otlp: {
    requiresArg: true,
    coerce: (given: unknown) => collectorAddress(singleText('otlp')(given)),
    describe: 'Send metrics to this OpenTelemetry collector; also OTEL_EXPORTER_OTLP_ENDPOINT',
  },
} as const;

/** Metrics cannot go to standard output: the file is replaced at every send. */
function metricsPath(given: string): string {
  const path = filePath(given);
  if (path !== '-') return path;
  throw new DossierError('USAGE', '--metrics-file takes the path of a file');
}

function collectorAddress(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return text;
  // The message does not quote the address, which may hold a password.
  throw new DossierError('USAGE', '--otlp takes an address like http://127.0.0.1:4318');
}
