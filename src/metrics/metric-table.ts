import { changeOps } from '../records/changes/change.ts';
import type { Breach } from '../rules/expectations.ts';
import { attemptBounds, attemptLabels, operations } from './attempt-labels.ts';

/*
 * All metrics of a run. Both exporters and docs/metrics.md are made from this table. Names follow
 * OpenTelemetry; `prometheusName` translates them as OpenTelemetry's collectors do, so a metric has
 * the same name in Prometheus whether it came by file or by OTLP.
 */

export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** `s`, or the counted things in braces, such as `{row}`. */
  readonly unit: string;
  readonly help: string;
  /** All values of each label. They are limited because a time series is stored for each value. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** Upper bounds of a histogram's buckets. */
  readonly bounds?: readonly number[];
}

const expectations = [
  'rows',
  'matchRate',
  'matchRateDrop',
  'rowsDrop',
  'failed',
  'history',
] as const satisfies readonly Breach['expectation'][];
const noLabels = {} as const;

export const metricTable = {
  'dossier.run.rows': {
    type: 'gauge',
    unit: '{row}',
    help: 'Rows of the run by how they stand.',
    labels: { status: ['open', 'matched', 'not_found', 'invalid', 'failed'] },
  },
  'dossier.run.calls': {
    type: 'gauge',
    unit: '{call}',
    help: 'Calls of the run by where their answer came from: called is what was asked of the service, reused was in the ledger, joined was known under another identifier, open is still to come.',
    labels: { source: ['open', 'called', 'reused', 'joined'] },
  },
  'dossier.run.calls.failed': {
    type: 'gauge',
    unit: '{call}',
    help: 'Calls of the run that failed after all attempts; they are counted as called, too.',
    labels: noLabels,
  },
  'dossier.run.requests': {
    type: 'gauge',
    unit: '{request}',
    help: 'Requests of this start that may be charged, further attempts included.',
    labels: noLabels,
  },
  'dossier.run.cost': {
    type: 'gauge',
    unit: '{money}',
    help: 'What these requests cost, in the currency of service.price; absent where the job tells no price.',
    labels: noLabels,
  },
  'dossier.run.people': {
    type: 'gauge',
    unit: '{person}',
    help: 'People that the run has found.',
    labels: noLabels,
  },
  'dossier.run.changes': {
    type: 'gauge',
    unit: '{change}',
    help: 'What differs from the last complete run, by what happened; absent until the files are written, and where there is no run to compare with.',
    labels: { op: changeOps },
  },
  'dossier.run.searches.failed': {
    type: 'gauge',
    unit: '{search}',
    help: 'People searches of the run that failed after all attempts.',
    labels: noLabels,
  },
  'dossier.attempts': {
    type: 'counter',
    unit: '{attempt}',
    help: 'Requests that went to the service, by what came back.',
    labels: attemptLabels,
  },
  'dossier.attempt.duration': {
    type: 'histogram',
    unit: 's',
    help: 'How long one request took, from its first byte to the last of its answer.',
    labels: { operation: operations },
    bounds: attemptBounds,
  },
  'dossier.retries': {
    type: 'counter',
    unit: '{retry}',
    help: 'Requests that are made again after one that failed.',
    labels: { operation: operations },
  },
  'dossier.throttles': {
    type: 'counter',
    unit: '{throttle}',
    help: 'How often the service asked for a pause.',
    labels: noLabels,
  },
  'dossier.throttled': {
    type: 'counter',
    unit: 's',
    help: 'Time during which no request left because the service had asked for a pause.',
    labels: noLabels,
  },
  'dossier.rate': {
    type: 'gauge',
    unit: '{request}',
    help: 'Requests a second that may leave, for a job with a rate; absent until something has lowered them below it.',
    labels: noLabels,
  },
  'dossier.run.running': {
    type: 'gauge',
    unit: '{run}',
    help: '1 while a run is under way, 0 when it has ended.',
    labels: noLabels,
  },
  'dossier.run.duration': {
    type: 'gauge',
    unit: 's',
    help: 'Time since the command was started, until its end.',
    labels: noLabels,
  },
  'dossier.run.started.timestamp': {
    type: 'gauge',
    unit: 's',
    help: 'When the command was started, in seconds since 1970.',
    labels: noLabels,
  },
  'dossier.run.ended.timestamp': {
    type: 'gauge',
    unit: 's',
    help: 'When the command ended, in seconds since 1970; absent while it runs.',
    labels: noLabels,
  },
  'dossier.run.last_success.timestamp': {
    type: 'gauge',
    unit: 's',
    help: 'When the job last ended with exit code 0, in seconds since 1970.',
    labels: noLabels,
  },
  'dossier.ledger.snapshot.timestamp': {
    type: 'gauge',
    unit: 's',
    help: 'When the newest snapshot of the ledger was stored, in seconds since 1970, for a job with ledger.snapshot; what was answered since is lost with the disk.',
    labels: noLabels,
  },
  'dossier.run.expectation.breached': {
    type: 'gauge',
    unit: '{breach}',
    help: '1 for each expectation that the result did not meet, so that it is held, else 0; absent until the rows have ended. `history` is the expectation that is always there.',
    labels: { expectation: expectations },
  },
  'dossier.run.exit_code': {
    type: 'gauge',
    unit: '{code}',
    help: 'Exit code of the command, see docs/exit-codes.md; absent while it runs.',
    labels: noLabels,
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metricTable;

type LabelValues<Name extends MetricName> = (typeof metricTable)[Name]['labels'];

/** The labels of a metric, each with the values that the table allows. */
export type Labels<Name extends MetricName> = {
  readonly [Label in keyof LabelValues<Name>]: LabelValues<Name>[Label] extends readonly (infer Value)[]
    ? Value
    : never;
};

export const metricNames = Object.keys(metricTable) as readonly MetricName[];

export function metricFacts(name: MetricName): Metric {
  return metricTable[name];
}

/** The label that names the job of every metric. Not `job`: Prometheus uses it for its targets. */
export const jobLabel = 'job_name';

/** `dossier.throttled → dossier_throttled_seconds_total`, as OpenTelemetry's collectors name it. */
export function prometheusName(name: MetricName): string {
  const { type, unit } = metricFacts(name);
  const suffixes = [unit === 's' ? '_seconds' : '', type === 'counter' ? '_total' : ''];
  return name.replaceAll('.', '_') + suffixes.join('');
}
