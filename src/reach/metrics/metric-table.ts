import { changeOps } from '../../core/columns/compare-records.ts';
import type { ClientEvent } from '../../engine/client/client-event.ts';

/*
 * All metrics of a run. Both exporters and docs/metrics.md are made from this table. Names follow
 * OpenTelemetry; `prometheusName` translates them as OpenTelemetry's collectors do, so a metric has
 * the same name in Prometheus whether it came by file or by OTLP.
 */

interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** `s`, or the counted things in braces, such as `{row}`. */
  readonly unit: string;
  readonly help: string;
  /** All values of each label. They are limited because a time series is stored for each value. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** Upper bounds of a histogram's buckets. */
  readonly bounds?: readonly number[];
}

const metric =
  <const Type extends Metric['type']>(type: Type) =>
  <const Labels extends Metric['labels'] = Record<never, never>>(
    unit: string,
    help: string,
    labels?: Labels,
    bounds?: readonly number[],
  ) => ({ type, unit, help, labels: labels ?? ({} as Labels), ...(bounds && { bounds }) });
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
  'dossier.run.rows': gauge('{row}', 'Rows of the run by how they stand.', {
    status: ['open', 'matched', 'not_found', 'invalid', 'failed', 'suppressed'],
  }),
  'dossier.run.rows.stale': gauge(
    '{row}',
    'Rows that keep an older answer because the new one failed or is not proven; they are counted by status, too.',
  ),
  'dossier.run.answers.oldest.timestamp': gauge(
    's',
    'When the oldest answer in the files arrived, in seconds since 1970; absent until a folder is written.',
  ),
  'dossier.run.budget.left': gauge(
    '{request}',
    'Requests that are left of budget.perStart; absent where the job has none.',
  ),
  'dossier.run.calls': gauge(
    '{call}',
    'Calls of the run by where their answer came from: called is what was asked of the service, reused was in the ledger, joined was known under another identifier, open is still to come.',
    { source: ['open', 'called', 'reused', 'joined'] },
  ),
  'dossier.run.calls.failed': gauge(
    '{call}',
    'Calls of the run that failed after all attempts; they are counted as called, too.',
  ),
  'dossier.run.requests': gauge(
    '{request}',
    'Requests of this start that may be charged, further attempts included.',
  ),
  'dossier.run.cost': gauge(
    '{money}',
    'What these requests cost, in the currency of service.price; absent where the job tells no price.',
  ),
  'dossier.run.people': gauge('{person}', 'People that the run has found.'),
  'dossier.run.changes': gauge(
    '{change}',
    'What differs from the last complete run, by what happened; absent until the files are written, and where there is no run to compare with.',
    { op: changeOps },
  ),
  'dossier.run.searches.failed': gauge(
    '{search}',
    'People searches of the run that failed after all attempts.',
  ),
  'dossier.attempts': counter(
    '{attempt}',
    'Requests that went to the service, by what came back.',
    {
      operation,
      status: statuses,
      verdict: verdicts,
    },
  ),
  'dossier.attempt.duration': histogram(
    's',
    'How long one request took, from its first byte to the last of its answer.',
    { operation },
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  ),
  'dossier.retries': counter('{retry}', 'Requests that are made again after one that failed.', {
    operation,
  }),
  'dossier.throttles': counter('{throttle}', 'How often the service asked for a pause.'),
  'dossier.rate': gauge(
    '{request}',
    'Requests a second that may leave, for a job with a rate; absent until something has lowered them below it.',
  ),
  'dossier.run.running': gauge('{run}', '1 while a run is under way, 0 when it has ended.'),
  'dossier.run.duration': gauge('s', 'Time since the command was started, until its end.'),
  'dossier.run.started.timestamp': gauge(
    's',
    'When the command was started, in seconds since 1970.',
  ),
  'dossier.run.ended.timestamp': gauge(
    's',
    'When the command ended, in seconds since 1970; absent while it runs.',
  ),
  'dossier.run.last_success.timestamp': gauge(
    's',
    'When the job last published a complete result (exit code 0 or 3), in seconds since 1970.',
  ),
  'dossier.ledger.snapshot.timestamp': gauge(
    's',
    'When the newest snapshot of the ledger was stored, in seconds since 1970, for a job with ledger.snapshot; what was answered since is lost with the disk.',
  ),
  'dossier.run.expectation.breached': gauge(
    '{breach}',
    '1 for each expectation that the result missed and is held for, else 0; absent until the rows have ended. `vanished` needs no setting: known companies were not found.',
    { expectation: ['rows', 'matchRate', 'matchRateDrop', 'rowsDrop', 'failed', 'vanished'] },
  ),
  'dossier.run.exit_code': gauge(
    '{code}',
    'Exit code of the command, see docs/exit-codes.md; absent while it runs.',
  ),
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metricTable;

type Labels<Name extends MetricName> = {
  readonly [Label in keyof (typeof metricTable)[Name]['labels']]: (typeof metricTable)[Name]['labels'][Label] extends readonly (infer Value)[]
    ? Value
    : never;
};

/** Records a value: a counter adds it, a gauge takes it, a histogram observes it. */
export type RecordMetric = <Name extends MetricName>(
  metric: Name,
  value: number,
  labels?: Labels<Name>,
) => void;

/** Sends the recorded metrics to a file or a collector. */
export interface Exporter {
  /** Name for log lines: `the metrics file run.prom`. Holds no secret. */
  readonly name: string;
  readonly record: RecordMetric;
  /** Throws when the metrics could not be delivered. */
  send(): Promise<void>;
  /** Closes sockets. */
  close(): void;
}

export const metricNames = Object.keys(metricTable) as readonly MetricName[];

export function metricFacts(name: MetricName): Metric {
  return metricTable[name];
}

/** The label that names the job of every metric. Not `job`: Prometheus uses it for its targets. */
export const jobLabel = 'job_name';

/** `dossier.run.duration → dossier_run_duration_seconds`, as OpenTelemetry's collectors name it. */
export function prometheusName(name: MetricName): string {
  const { type, unit } = metricFacts(name);
  const suffixes = [unit === 's' ? '_seconds' : '', type === 'counter' ? '_total' : ''];
  return name.replaceAll('.', '_') + suffixes.join('');
}

/** Verdicts that differ for the client, but not in a graph. */
const alike: Readonly<Record<string, string>> = { forbidden: 'refused', unproven: 'transient' };

/** The labels of a request that went to the service: `404 → 4xx` */
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
