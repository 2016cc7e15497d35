import type { ClientEvent } from '../client/client-event.ts';
import type { Run } from '../ledger/runs.ts';
import type { RunCounts } from '../run/run-context.ts';
import { type RunObserver, runName } from '../run/run-job.ts';
import { formatDuration } from '../runtime/duration.ts';
import type { Log } from '../runtime/log.ts';
import type { Progress } from './progress.ts';

export interface RunProgress extends RunObserver {
  onEvent(event: ClientEvent): void;
}

/** Turns what happens in a run into a progress line for people and events for the log. */
export function showRun(progress: Progress, log: Log): RunProgress {
  let startedAt = performance.now();
  let callsAtStart = 0;
  let throttledUntil = 0;

  return {
    onIngest(rows, share) {
      progress.show(`reading  ${count(rows)} rows`, share);
    },
    onStart(run: Run, isResumed, counts) {
      startedAt = performance.now();
      callsAtStart = settledCalls(counts);
      const rows = totalRows(counts);
      log.info(
        { run: runName(run), job: run.job, rows, openCalls: counts.calls.open, isResumed },
        'run.started',
      );
    },
    onProgress(counts) {
      const settled = settledCalls(counts);
      const seconds = (performance.now() - startedAt) / 1_000;
      const rate = seconds > 0 ? (settled - callsAtStart) / seconds : 0;
      const waitMs = throttledUntil - Date.now();
      progress.show(
        [
          `calling  ${count(settled)} of ${count(settled + counts.calls.open)} calls`,
          `${count(totalRows(counts) - counts.rows.open)} of ${count(totalRows(counts))} rows`,
          `${rate.toFixed(rate < 10 ? 1 : 0)}/s`,
          rate > 0 ? `${formatDuration((counts.calls.open / rate) * 1_000)} left` : '',
          `${count(counts.rows.matched)} matched`,
          `${count(counts.rows.not_found)} not found`,
          counts.rows.failed > 0 ? `${count(counts.rows.failed)} failed` : '',
          waitMs > 0 ? `throttled for ${formatDuration(waitMs)}` : '',
        ]
          .filter(Boolean)
          .join('  '),
        settled / Math.max(1, settled + counts.calls.open),
      );
    },
    onExport() {
      progress.show('writing files', undefined);
    },
    onEvent(event) {
      switch (event.type) {
        case 'attempt.made':
          log.debug(withoutType(event), event.type);
          return;
        case 'retry.scheduled':
          log.info(withoutType(event), event.type);
          return;
        case 'service.throttled':
          throttledUntil = event.untilMs;
          log.warn(withoutType(event), event.type);
          return;
        case 'gate.opened':
          throttledUntil = 0;
          log.info(event.type);
      }
    },
  };
}

function withoutType({ type: _, ...facts }: ClientEvent): object {
  return facts;
}

function settledCalls({ calls }: RunCounts): number {
  return calls.called + calls.reused + calls.joined;
}

function totalRows({ rows }: RunCounts): number {
  return rows.open + rows.matched + rows.not_found + rows.invalid + rows.failed;
}

function count(number: number): string {
  return number.toLocaleString('en');
}
