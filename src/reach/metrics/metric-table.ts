import { changeOps } from '../../core/columns/compare-records.ts';
import type { ClientEvent } from '../../engine/client/client-event.ts';

/** docs/metrics.md is generated from this table. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** A fixed set of values, because Prometheus stores a time series for each. */
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
  'other',
] as const;

export const metricTable = {
  dossier_run_rows: gauge('Rows of the run by how they stand.', {
    status: ['open', 'matched', 'not_found', 'invalid', 'failed', 'suppressed'],
  }),
  dossier_run_rows_stale: gauge(
    'Rows that keep an older answer because the new one failed or is not proven; they are counted by status, too.',
  ),
  dossier_run_answers_oldest_timestamp_seconds: gauge(
    'When the oldest answer in the files arrived, in seconds since 1970; absent until a folder is written.',
  ),
  dossier_run_budget_left: gauge(
    'Requests that are left of budget.perStart; absent where the job has none.',
  ),
  dossier_run_calls: gauge(
    'Calls of the run by where their answer came from: called is what was asked of the service, reused was in the ledger, joined was known under another identifier, open is still to come.',
    { source: ['open', 'called', 'reused', 'joined'] },
  ),
  dossier_run_calls_failed: gauge(
    'Calls of the run that failed after all attempts; they are counted as called, too.',
  ),
  dossier_run_requests: gauge(
    'Requests of this start that may be charged, further attempts included.',
  ),
  dossier_run_cost: gauge(
    'What these requests cost, in the currency of service.price; absent where the job tells no price.',
  ),
  dossier_run_people: gauge('People that the run has found.'),
  dossier_run_changes: gauge(
    'What differs from the last complete run, by what happened; absent until the files are written, and where there is no run to compare with.',
    { op: changeOps },
  ),
  dossier_run_searches_failed: gauge('People searches of the run that failed after all attempts.'),
  dossier_attempts_total: counter('Requests that went to the service, by what came back.', {
    operation,
    status: statuses,
    verdict: verdicts,
  }),
  dossier_attempt_duration_seconds: histogram(
    'How long one request took, from its first byte to the last of its answer.',
    { operation },
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  ),
  dossier_retries_total: counter('Requests that are made again after one that failed.', {
    operation,
  }),
  dossier_throttles_total: counter('How often the service asked for a pause.'),
  dossier_rate: gauge(
    'Requests a second that may leave, for a job with a rate; absent until something has lowered them below it.',
  ),
  dossier_run_running: gauge('1 while a run is under way, 0 when it has ended.'),
  dossier_run_duration_seconds: gauge('Time since the command was started, until its end.'),
  dossier_run_started_timestamp_seconds: gauge(
    'When the command was started, in seconds since 1970.',
  ),
  dossier_run_ended_timestamp_seconds: gauge(
    'When the command ended, in seconds since 1970; absent while it runs.',
  ),
  dossier_run_last_success_timestamp_seconds: gauge(
    'When the job last published a complete result (exit code 0 or 3), in seconds since 1970.',
  ),
  dossier_ledger_snapshot_timestamp_seconds: gauge(
    'When the newest snapshot of the ledger was stored, in seconds since 1970, for a job with ledger.snapshot; what was answered since is lost with the disk.',
  ),
  dossier_run_expectation_breached: gauge(
    '1 for each expectation that the result missed and is held for, else 0; absent until the rows have ended. `vanished` needs no setting: known companies were not found.',
    { expectation: ['rows', 'matchRate', 'matchRateDrop', 'rowsDrop', 'failed', 'vanished'] },
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
};

export type RecordMetric = <Name extends MetricName>(
  metric: Name,
  value: number,
  labels?: Labels<Name>,
) => void;

/** Not `job`: Prometheus uses that label for its targets. */
export const jobLabel = 'job_name';

/** Verdicts that matter to the client, but not in a graph. */
const alike: Readonly<Record<string, string>> = { forbidden: 'refused', unproven: 'transient' };

/** `404 → 4xx` */
export function labelAttempt(attempt: Extract<ClientEvent, { type: 'attempt.made' }>) {
  const { status, verdict } = attempt;
  const found = status === undefined ? 'none' : `${Math.floor(status / 100)}xx`;
  const judged = alike[verdict] ?? verdict;
  return {
    operation: attempt.operation,
    status: statuses.find((known) => known === found) ?? 'other',
    verdict: verdicts.find((known) => known === judged) ?? 'other',
  };
}
