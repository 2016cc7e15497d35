import type { ClientEvent } from '../client/client-event.ts';
import { changeOps } from '../records/changes/change.ts';
import type { Counts } from '../rules/outcomes.ts';
import type { SpentSoFar } from '../run/calls/request-budget.ts';
import type { RunObserver } from '../run/run-parts.ts';
import { moneyJson } from '../runtime/budget/money.ts';
import type { Clock } from '../runtime/clock.ts';
import { labelAttempt } from './attempt-labels.ts';
import { metricTable } from './metric-table.ts';
import type { Recorder } from './recorder.ts';
import { openThrottledTime } from './throttled-time.ts';

export interface RunMeter extends RunObserver {
  onEvent(event: ClientEvent): void;
  /** Records the present counts and times; to be called before each send. */
  update(): void;
  /** Records the end of the run. */
  end(exitCode: number): void;
}

/** Records the events of a run as the metrics of the table. */
export function meterRun(recorder: Recorder, clock: Clock, budget?: SpentSoFar): RunMeter {
  const startedAtMs = clock.monotonicMs();
  let counts: Counts | undefined;
  const throttled = openThrottledTime(clock, (seconds) =>
    recorder.record('dossier.throttled', seconds, {}),
  );

  recorder.record('dossier.run.started.timestamp', clock.wallMs() / 1_000, {});
  recorder.record('dossier.run.running', 1, {});
  // Counters start at 0, so that a rate over them includes their first increase.
  recorder.record('dossier.throttles', 0, {});
  recorder.record('dossier.throttled', 0, {});
  for (const operation of metricTable['dossier.retries'].labels.operation) {
    recorder.record('dossier.retries', 0, { operation });
  }

  const update = () => {
    const now = clock.monotonicMs();
    throttled.update();
    recorder.record('dossier.run.duration', (now - startedAtMs) / 1_000, {});
    if (counts) recordCounts(recorder, counts);
    if (budget) recordSpend(recorder, budget);
  };

  return {
    onIngest() {},
    onStart(_run, _isResumed, current) {
      counts = current;
    },
    onProgress(current) {
      counts = current;
    },
    onExport() {},
    onJudged(held) {
      for (const expectation of metricTable['dossier.run.expectation.breached'].labels
        .expectation) {
        const isBreached = held?.some((breach) => breach.expectation === expectation) ?? false;
        recorder.record('dossier.run.expectation.breached', isBreached ? 1 : 0, { expectation });
      }
    },
    onWritten({ changesSince, counts: { changes } }) {
      if (changesSince === null) return;
      for (const op of changeOps) recorder.record('dossier.run.changes', changes[op], { op });
    },
    onEvent(event) {
      switch (event.type) {
        case 'attempt.made':
          recordAttempt(recorder, event);
          return;
        case 'retry.scheduled':
          recorder.record('dossier.retries', 1, { operation: event.operation });
          return;
        case 'service.throttled':
          recorder.record('dossier.throttles', 1, {});
          throttled.begin(event.waitMs);
          return;
        case 'gate.opened':
          throttled.end();
          return;
        case 'rate.lowered':
        case 'rate.raised':
          if (event.ceiling !== 'none') recorder.record('dossier.rate', event.perSecond, {});
      }
    },
    update,
    end(exitCode) {
      const endedAt = clock.wallMs() / 1_000;
      update();
      recorder.record('dossier.run.running', 0, {});
      recorder.record('dossier.run.exit_code', exitCode, {});
      recorder.record('dossier.run.ended.timestamp', endedAt, {});
      if (exitCode === 0) recorder.record('dossier.run.last_success.timestamp', endedAt, {});
    },
  };
}

function recordSpend(recorder: Recorder, { spent, money }: SpentSoFar): void {
  recorder.record('dossier.run.requests', spent, {});
  if (money) recorder.record('dossier.run.cost', moneyJson(money).amount, {});
}

function recordAttempt(
  recorder: Recorder,
  event: Extract<ClientEvent, { type: 'attempt.made' }>,
): void {
  const { operation, durationMs } = event;
  recorder.record('dossier.attempts', 1, labelAttempt(event));
  recorder.record('dossier.attempt.duration', durationMs / 1_000, { operation });
}

function recordCounts(recorder: Recorder, counts: Counts): void {
  for (const status of metricTable['dossier.run.rows'].labels.status) {
    recorder.record('dossier.run.rows', counts.rows[status], { status });
  }
  for (const source of metricTable['dossier.run.calls'].labels.source) {
    recorder.record('dossier.run.calls', counts.calls[source], { source });
  }
  recorder.record('dossier.run.calls.failed', counts.calls.failed, {});
  recorder.record('dossier.run.people', counts.people, {});
  recorder.record('dossier.run.searches.failed', counts.failedSearches, {});
}
