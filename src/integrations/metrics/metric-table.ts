import { everyChangeOp } from '../../core/columns/compare-records.ts';
import { breachNames } from '../../core/rules/expectations.ts';
import type { ClientEvent } from '../../engine/client/client-event.ts';
import { destinationKinds } from '../../job/schema/output-fields.ts';

/** docs/metrics.md is generated from `metricTable`. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Fixed sets, because Prometheus stores a time series for each value. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
  readonly bounds?: readonly number[];
}

const metric =
  <const Type extends Metric['type']>(type: Type) =>
  <const Labels extends Metric['labels'] = Record<never, never>>(
    help: string,
    labels?: Labels,
    bounds?: readonly number[],
  ) => ({ type, help, labels: labels ?? ({} as Labels), ...(bounds && { bounds }) });
const gauge = metric('gauge');
const counter = metric('counter');
const histogram = metric('histogram');

const operation = ['company', 'people'] as const;
const statuses = ['2xx', '3xx', '4xx', '5xx', 'other', 'none'] as const;
const verdicts = [
  'hit',
  'miss',
  'invalid',
  'throttled',
  'refused',
  'quota',
  'transient',
  'unusable',
  'oversized',
  'unreadable',
  'other',
] as const;

export const metricTable = {
  dossier_run_rows: gauge('Rows of the run by status.', {
    status: ['open', 'matched', 'not_found', 'invalid', 'failed', 'suppressed'],
  }),
  dossier_run_rows_stale: gauge(
    'Rows that keep an older answer because the new call failed. dossier_run_rows counts them too.',
  ),
  dossier_run_answers_oldest_timestamp_seconds: gauge(
    'When the oldest answer in the files arrived, in seconds since 1970. Absent until the files are written.',
  ),
  dossier_run_budget_left: gauge('Requests left in budget.perStart. Absent without that limit.'),
  dossier_run_calls: gauge(
    'Calls of the run by source of the answer. called: the service. reused: the ledger. joined: the ledger, which knows the company under another identifier. open: not answered yet.',
    { source: ['open', 'called', 'reused', 'joined'] },
  ),
  dossier_run_calls_failed: gauge(
    'Calls of the run that failed after all attempts. They also count as called.',
  ),
  dossier_run_requests: gauge(
    'Requests since the command started that were answered or may be charged, including retries.',
  ),
  dossier_run_cost: gauge(
    'Cost of the calls in dossier_run_requests, in the currency of the price. Absent without a price.',
  ),
  dossier_run_people: gauge('People found by the run.'),
  dossier_run_changes: gauge(
    'Changes since the last complete run, by kind. Absent until the files are written, and in the first run.',
    { op: everyChangeOp },
  ),
  dossier_run_searches_failed: gauge('People searches of the run that failed after all attempts.'),
  dossier_attempts_total: counter('Requests to the service, by result.', {
    operation,
    status: statuses,
    verdict: verdicts,
  }),
  dossier_attempt_duration_seconds: histogram(
    'Duration of one request, from its first byte to the last byte of its answer.',
    { operation },
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  ),
  dossier_retries_total: counter('Retries after failed requests.', {
    operation,
  }),
  dossier_throttles_total: counter('Number of pauses that the service requested.'),
  dossier_rate: gauge(
    'Current limit in requests per second. Present only after it has fallen below the rate of the job.',
  ),
  dossier_run_running: gauge('1 while the run is running, otherwise 0.'),
  dossier_run_duration_seconds: gauge('Time since the start of the command, until its end.'),
  dossier_run_started_timestamp_seconds: gauge('Start of the command, in seconds since 1970.'),
  dossier_run_ended_timestamp_seconds: gauge(
    'End of the command, in seconds since 1970. Absent while it runs.',
  ),
  dossier_run_last_success_timestamp_seconds: gauge(
    'Time of the last complete result of the job (exit code 0 or 3), in seconds since 1970.',
  ),
  dossier_destination_runs_behind: gauge(
    'Published runs that a destination has not received, by kind; the highest number if there are several. Absent until the files are written.',
    { kind: destinationKinds },
  ),
  dossier_ledger_snapshot_timestamp_seconds: gauge(
    'Time of the newest ledger snapshot, in seconds since 1970, for a job with ledger.snapshot. Later answers are lost if the disk is lost.',
  ),
  dossier_run_expectation_breached: gauge(
    '1 for each unmet expectation, otherwise 0. Absent until all rows are done. `vanished` is always checked: too many companies that were found before were not found this time.',
    { expectation: breachNames },
  ),
  dossier_run_exit_code: gauge(
    'Exit code of the command, see docs/exit-codes.md; absent while it runs.',
  ),
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metricTable;

type Labels<Name extends MetricName> = {
  readonly [Label in keyof (typeof metricTable)[Name]['labels']]: (typeof metricTable)[Name]['labels'][Label] extends readonly (infer Value)[]
    ? Value
    : never;
} & {
  /** Set if the job has several services. They are few, because services.yaml describes each. */
  readonly service?: string;
};

export type RecordMetric = <Name extends MetricName>(
  metric: Name,
  value: number,
  labels?: Labels<Name>,
) => void;

/** Not `job`, which Prometheus uses for its targets. */
export const jobLabel = 'job_name';

const alike: Readonly<Record<string, string>> = { forbidden: 'refused', unproven: 'transient' };

export function labelAttempt(attempt: Extract<ClientEvent, { type: 'attempt.made' }>) {
  const { status, verdict, service } = attempt;
  const found = status === undefined ? 'none' : `${Math.floor(status / 100)}xx`;
  const merged = alike[verdict] ?? verdict;
  return {
    ...(service !== undefined && { service }),
    operation: attempt.operation,
    status: statuses.find((known) => known === found) ?? 'other',
    verdict: verdicts.find((known) => known === merged) ?? 'other',
  };
}
