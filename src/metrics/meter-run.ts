import type { ClientEvent } from '../client/client-event.ts';
import { changeOps } from '../records/changes/change.ts';
import type { Counts } from '../rules/outcomes.ts';
import type { SpentSoFar } from '../run/calls/charges.ts';
import type { RunObserver } from '../run/run-parts.ts';
import { moneyJson } from '../runtime/budget/money.ts';
import type { Clock } from '../runtime/clock.ts';
import { labelAttempt, metricTable, type RecordMetric } from './metric-table.ts';

/** Records the events of a run as the metrics of the table. */
export function meterRun(record: RecordMetric, clock: Clock, budget?: SpentSoFar) {
  const startedAtMs = clock.monotonicMs();
  let counts: Counts | undefined;
  /** The part of the present throttle that is not recorded yet. */
  const pause = { sinceMs: 0, untilMs: 0 };

  record('dossier.run.started.timestamp', clock.wallMs() / 1_000);
  record('dossier.run.running', 1);
  // Counters start at 0, so that a rate over them includes their first increase.
  record('dossier.throttles', 0);
  record('dossier.throttled', 0);
  for (const operation of metricTable['dossier.retries'].labels.operation) {
    record('dossier.retries', 0, { operation });
  }

  // The end of a throttle raises no event when no call waits for it.
  const recordPause = () => {
    const passedMs = Math.min(clock.monotonicMs(), pause.untilMs) - pause.sinceMs;
    if (passedMs <= 0) return;
    record('dossier.throttled', passedMs / 1_000);
    pause.sinceMs += passedMs;
  };
  /** Records the present counts and times; to be called before each send. */
  const update = () => {
    recordPause();
    record('dossier.run.duration', (clock.monotonicMs() - startedAtMs) / 1_000);
    if (budget) record('dossier.run.requests', budget.spent);
    if (budget?.money) record('dossier.run.cost', moneyJson(budget.money).amount);
    if (!counts) return;
    const { rows, calls, people, failedSearches } = counts;
    for (const status of metricTable['dossier.run.rows'].labels.status) {
      record('dossier.run.rows', rows[status], { status });
    }
    for (const source of metricTable['dossier.run.calls'].labels.source) {
      record('dossier.run.calls', calls[source], { source });
    }
    record('dossier.run.calls.failed', calls.failed);
    record('dossier.run.people', people);
    record('dossier.run.searches.failed', failedSearches);
  };

  const observer: RunObserver = {
    onIngest() {},
    onStart(_run, _isResumed, current) {
      counts = current;
    },
    onProgress(current) {
      counts = current;
    },
    onExport() {},
    onJudged(held) {
      const name = 'dossier.run.expectation.breached';
      for (const expectation of metricTable[name].labels.expectation) {
        const isBreached = held?.some((breach) => breach.expectation === expectation);
        record(name, isBreached ? 1 : 0, { expectation });
      }
    },
    onWritten({ changesSince, counts: { changes } }) {
      if (changesSince === null) return;
      for (const op of changeOps) record('dossier.run.changes', changes[op], { op });
    },
  };
  return {
    ...observer,
    onEvent(event: ClientEvent) {
      switch (event.type) {
        case 'attempt.made': {
          const { operation, durationMs } = event;
          record('dossier.attempts', 1, labelAttempt(event));
          record('dossier.attempt.duration', durationMs / 1_000, { operation });
          return;
        }
        case 'retry.scheduled':
          record('dossier.retries', 1, { operation: event.operation });
          return;
        case 'service.throttled':
          record('dossier.throttles', 1);
          recordPause();
          pause.sinceMs = clock.monotonicMs();
          pause.untilMs = pause.sinceMs + event.waitMs;
          return;
        case 'gate.opened':
          recordPause();
          pause.untilMs = 0;
          return;
        case 'rate.lowered':
        case 'rate.raised':
          if (event.ceiling !== 'none') record('dossier.rate', event.perSecond);
      }
    },
    update,
    /** Records the end of the run. */
    end(exitCode: number) {
      const endedAt = clock.wallMs() / 1_000;
      update();
      record('dossier.run.running', 0);
      record('dossier.run.exit_code', exitCode);
      record('dossier.run.ended.timestamp', endedAt);
      if (exitCode === 0) record('dossier.run.last_success.timestamp', endedAt);
    },
  };
}
