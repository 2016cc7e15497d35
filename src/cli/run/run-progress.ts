import type { ClientEvent } from '../../client/client-event.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import { runName } from '../../ledger/runs/runs.ts';
import type { Counts } from '../../rules/outcomes.ts';
import type { RunObserver } from '../../run/run-job.ts';
import { formatDuration } from '../../runtime/duration.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { Progress } from '../terminal/progress.ts';

export interface RunProgress extends RunObserver {
  onEvent(event: ClientEvent): void;
}

/** Shows the events of a run as a progress line for people and as log lines. */
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
      callsAtStart = completeCalls(counts);
      const rows = totalRows(counts);
      log.info(
        { run: runName(run), job: run.job, rows, openCalls: counts.calls.open, isResumed },
        'run.started',
      );
    },
    onProgress(counts) {
      const complete = completeCalls(counts);
      const seconds = (performance.now() - startedAt) / 1_000;
      const rate = seconds > 0 ? (complete - callsAtStart) / seconds : 0;
      const waitMs = throttledUntil - Date.now();
      const { rows, calls } = counts;
      const total = totalRows(counts);
      const parts = [
        'calling',
        `${count(complete)}/${count(complete + calls.open)} calls`,
        `${count(total - rows.open)}/${count(total)} rows`,
        `${rate.toFixed(rate < 10 ? 1 : 0)}/s`,
        rate > 0 && calls.open > 0 ? `${formatDuration((calls.open / rate) * 1_000)} left` : '',
        waitMs > 0 ? `throttled for ${formatDuration(waitMs)}` : '',
        `${count(rows.matched)} matched`,
        `${count(rows.not_found)} not found`,
        rows.failed > 0 ? `${count(rows.failed)} failed` : '',
      ];
      const share = complete / Math.max(1, complete + calls.open);
      progress.show(parts.filter(Boolean).join('  '), share);
    },
    onExport() {
      progress.show('writing files', undefined);
    },
    onFewerCalls(facts) {
      const why = 'the start before died with calls in flight and stored no answer';
      log.warn({ ...facts, why }, 'run.slowed');
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

function completeCalls({ calls }: Counts): number {
  return calls.called + calls.reused + calls.joined;
}

function totalRows({ rows }: Counts): number {
  return rows.open + rows.matched + rows.not_found + rows.invalid + rows.failed;
}

function count(number: number): string {
  return number.toLocaleString('en');
}
