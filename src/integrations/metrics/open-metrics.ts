import { everyChangeOp } from '../../core/columns/compare-records.ts';
import { DossierError, exitCodeOf, messageOf } from '../../core/errors.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import type { ClientEvent } from '../../engine/client/client-event.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { StartBudget } from '../../run/calls/start-budget.ts';
import type { RunObserver } from '../../run/run-parts.ts';
import type { LedgerKeeper } from '../snapshot/open-keeper.ts';
import { labelAttempt, metricTable, type RecordMetric } from './metric-table.ts';

interface MetricsParts {
  readonly job: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly budget?: Pick<StartBudget, 'byService'> & { readonly left?: number };
  readonly everyMs?: number;
}

type StoredLedger = Pick<LedgerKeeper, 'storedAt'>;

/**
 * Writes a file for node_exporter's textfile collector. Never throws: metrics must not fail a run.
 */
export async function openMetrics(
  path: string | undefined,
  { job, clock, log, budget, everyMs = 15_000 }: MetricsParts,
) {
  if (path === undefined) {
    return {
      meter: undefined,
      followLedger() {},
      watch: <Result>(work: () => Promise<Result>) => work(),
      end: async (_exitCode: number) => {},
    };
  }
  const { createPrometheusFile } = await import('./prometheus-file.ts');
  const { record, write } = await createPrometheusFile(path, job);
  const meter = meterRun(record, clock, budget);
  let ledger: StoredLedger | undefined;
  let isFailing = false;
  const send = async () => {
    const snapshotAt = ledger?.storedAt();
    if (snapshotAt !== undefined)
      record('dossier_ledger_snapshot_timestamp_seconds', snapshotAt / 1_000);
    try {
      await write();
      isFailing = false;
    } catch (error) {
      const reason = messageOf(error);
      if (!isFailing) log.warn({ to: `the metrics file ${path}`, reason }, 'metrics.lost');
      isFailing = true;
    }
  };
  let sending: Promise<void> | undefined;
  const sendNow = () => {
    if (sending !== undefined) return;
    meter.update();
    sending = send().finally(() => {
      sending = undefined;
    });
  };
  const timer = setInterval(sendNow, everyMs);
  timer.unref();

  const end = async (exitCode: number) => {
    clearInterval(timer);
    await sending;
    meter.end(exitCode);
    await send();
  };
  const onStart: RunObserver['onStart'] = (...given) => {
    meter.onStart(...given);
    // Even a short run must replace the previous run's numbers.
    sendNow();
  };
  return {
    meter: { ...meter, onStart },
    followLedger(followed: StoredLedger | undefined) {
      ledger = followed;
    },
    async watch<Result>(work: () => Promise<Result>): Promise<Result> {
      try {
        return await work();
      } catch (error) {
        // Another process runs the job and writes its metrics, so leave the file alone.
        const isJobBusy = error instanceof DossierError && error.code === 'JOB_BUSY';
        if (isJobBusy) clearInterval(timer);
        else await end(exitCodeOf(error));
        throw error;
      }
    },
    end,
  };
}

export function meterRun(record: RecordMetric, clock: Clock, budget?: MetricsParts['budget']) {
  const startedAtMs = clock.monotonicMs();
  let counts: Counts | undefined;

  record('dossier_run_started_timestamp_seconds', clock.wallMs() / 1_000);
  record('dossier_run_running', 1);
  // Counters start at 0, so Prometheus's `rate()` includes their first increase.
  for (const labels of budget?.byService.map(ofService) ?? [{}]) {
    record('dossier_throttles_total', 0, labels);
    for (const operation of metricTable.dossier_retries_total.labels.operation) {
      record('dossier_retries_total', 0, { ...labels, operation });
    }
  }

  const update = () => {
    record('dossier_run_duration_seconds', (clock.monotonicMs() - startedAtMs) / 1_000);
    for (const { spent, money, ...label } of budget?.byService ?? []) {
      record('dossier_run_requests', spent, label);
      if (money) record('dossier_run_cost', money.amount, label);
    }
    const left = budget?.left;
    if (left !== undefined && Number.isFinite(left)) record('dossier_run_budget_left', left);
    if (counts) recordCounts(record, counts);
  };

  const observer: Omit<RunObserver, 'onIngest' | 'onExport'> = {
    onStart(_run, _isResumed, current) {
      counts = current;
    },
    onProgress(current) {
      counts = current;
    },
    onChecked(held) {
      const name = 'dossier_run_expectation_breached';
      for (const expectation of metricTable[name].labels.expectation) {
        const isBreached = held?.some((breach) => breach.expectation === expectation);
        record(name, isBreached ? 1 : 0, { expectation });
      }
    },
    onWritten({ changes, rows, tally, destinations }) {
      for (const [kind, all] of Map.groupBy(destinations, (one) => one.kind)) {
        const behind = Math.max(...all.map((one) => one.behind));
        record('dossier_destination_runs_behind', behind, { kind });
      }
      if (counts) counts = { ...counts, rows };
      const oldest = tally?.oldestAnswerAt;
      if (oldest)
        record('dossier_run_answers_oldest_timestamp_seconds', Date.parse(oldest) / 1_000);
      if (changes.since === null) return;
      for (const op of everyChangeOp) {
        const number = changes[op];
        if (number !== undefined) record('dossier_run_changes', number, { op });
      }
    },
  };
  return {
    ...observer,
    onEvent(event: ClientEvent) {
      switch (event.type) {
        case 'attempt.made':
          record('dossier_attempts_total', 1, labelAttempt(event));
          record('dossier_attempt_duration_seconds', event.durationMs / 1_000, {
            ...ofService(event),
            operation: event.operation,
          });
          return;
        case 'retry.scheduled':
          record('dossier_retries_total', 1, { ...ofService(event), operation: event.operation });
          return;
        case 'service.throttled':
          record('dossier_throttles_total', 1, ofService(event));
          return;
        case 'gate.opened':
          return;
        case 'rate.lowered':
        case 'rate.raised':
          if (event.ceiling !== 'none') record('dossier_rate', event.perSecond, ofService(event));
      }
    },
    update,
    end(exitCode: number) {
      const endedAt = clock.wallMs() / 1_000;
      update();
      record('dossier_run_running', 0);
      record('dossier_run_exit_code', exitCode);
      record('dossier_run_ended_timestamp_seconds', endedAt);
      if ([0, 3].includes(exitCode)) record('dossier_run_last_success_timestamp_seconds', endedAt);
    },
  };
}

/** Without the label if the job has one service. */
function ofService({ service }: { readonly service?: string }) {
  return service === undefined ? {} : { service };
}

function recordCounts(record: RecordMetric, { rows, calls, people, failedSearches }: Counts) {
  record('dossier_run_rows_stale', rows.stale);
  for (const status of metricTable.dossier_run_rows.labels.status) {
    record('dossier_run_rows', rows[status], { status });
  }
  const bySource = { ...calls, called: calls.made + calls.failed };
  for (const source of metricTable.dossier_run_calls.labels.source) {
    record('dossier_run_calls', bySource[source], { source });
  }
  record('dossier_run_calls_failed', calls.failed);
  record('dossier_run_people', people);
  record('dossier_run_searches_failed', failedSearches);
}
