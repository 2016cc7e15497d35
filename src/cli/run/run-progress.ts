import type { ClientEvent } from '../../client/client-event.ts';
import { type Run, runName } from '../../ledger/runs/runs.ts';
import { type Counts, totalRows } from '../../rules/outcomes.ts';
import type { SpentSoFar } from '../../run/calls/charges.ts';
import type { RunObserver } from '../../run/run-parts.ts';
import { formatMoney } from '../../runtime/budget/money.ts';
import { formatDuration } from '../../runtime/duration.ts';
import type { Log } from '../../runtime/log/log.ts';
import { logClientEvent, rateNumber } from '../terminal/client-events.ts';
import { type Progress, showReceived } from '../terminal/progress.ts';
import { counted } from '../terminal/text.ts';
import { type GivenJob, startTexts } from './start-texts.ts';

export interface RunProgress extends RunObserver {
  onEvent(event: ClientEvent): void;
  onStop: NonNullable<RunObserver['onStop']>;
}

const tellOfHeldEveryMs = 60_000;

export interface RunWords {
  /** Tells people what they have to know at once; without it, everything is an event of the log. */
  readonly say?: ((sentence: string) => void) | undefined;
  /** The job as it stands on the command line, for what is told when the list is read. */
  readonly given?: GivenJob;
  /** What is spent so far, where money is to be shown. */
  readonly budget?: SpentSoFar;
}

/** Shows the events of a run as a progress line for people and as log lines. */
export function showRun(
  progress: Progress,
  log: Log,
  { say, given, budget }: RunWords = {},
): RunProgress {
  let startedAt = performance.now();
  let callsAtStart = 0;
  let throttledUntil = 0;
  let loweredTo: number | undefined;
  let isStopping = false;
  let toldOfHeldAt = Number.NEGATIVE_INFINITY;

  return {
    onReceive: (...received) => showReceived(progress, ...received),
    onIngest(rows, share) {
      progress.show(`reading  ${count(rows)} rows`, share);
    },
    onStart(run: Run, isResumed, counts, told) {
      startedAt = performance.now();
      callsAtStart = completeCalls(counts);
      const rows = totalRows(counts);
      log.info(
        { run: runName(run), job: run.job, rows, openCalls: counts.calls.open, isResumed },
        'run.started',
      );
      if (given === undefined) return;
      for (const note of startTexts(run, { rows, given }, told)) {
        if (say) say(note);
        else log.info({ note }, 'run.noted');
      }
    },
    onProgress(counts) {
      const complete = completeCalls(counts);
      const seconds = (performance.now() - startedAt) / 1_000;
      const rate = seconds > 0 ? (complete - callsAtStart) / seconds : 0;
      const waitMs = throttledUntil - Date.now();
      const { rows, calls } = counts;
      const total = totalRows(counts);
      const parts = [
        isStopping ? 'stopping' : 'calling',
        `${count(complete)}/${count(complete + calls.open)} calls`,
        `${count(total - rows.open)}/${count(total)} rows`,
        `${rate.toFixed(rate < 10 ? 1 : 0)}/s`,
        rate > 0 && calls.open > 0 && !isStopping
          ? `${formatDuration((calls.open / rate) * 1_000)} left`
          : '',
        loweredTo === undefined ? '' : `lowered to ${rateText(loweredTo)}`,
        waitMs > 0 ? `throttled for ${formatDuration(waitMs)}` : '',
        `${count(rows.matched)} matched`,
        `${count(rows.not_found)} not found`,
        rows.failed > 0 ? `${count(rows.failed)} failed` : '',
        budget?.money ? formatMoney(budget.money) : '',
      ];
      const share = complete / Math.max(1, complete + calls.open);
      progress.show(parts.filter(Boolean).join('  '), share);
    },
    onExport() {
      progress.show('writing files', undefined);
    },
    onStop({ answers, atMostMs }) {
      isStopping = true;
      const atMostSeconds = Math.ceil(atMostMs / 1_000);
      log.info({ answers, atMostSeconds }, 'run.stopping');
      if (answers === 0) return;
      const waiting = `waiting for ${counted(answers, 'answer', 'answers')}`;
      say?.(`Stopping: ${waiting}, at most ${atMostSeconds} s; again to leave at once.`);
    },
    onHeld(waitedMs) {
      progress.show(
        `waiting  another program holds the ledger  ${formatDuration(waitedMs)}`,
        undefined,
      );
      if (performance.now() - toldOfHeldAt < tellOfHeldEveryMs) return;
      toldOfHeldAt = performance.now();
      const waitedSeconds = Math.round(waitedMs / 1_000);
      log.warn({ waitedSeconds, advice: 'fuser -v <ledger> names the program' }, 'ledger.held');
    },
    onPrune({ runs, rows }) {
      log.info({ runs, rows }, 'ledger.pruned');
    },
    onFewerCalls(facts) {
      const why = 'the start before died with calls in flight and stored no answer';
      log.warn({ ...facts, why }, 'run.slowed');
    },
    onEvent(event) {
      logClientEvent(log, event);
      switch (event.type) {
        case 'service.throttled':
          throttledUntil = event.untilMs;
          return;
        case 'gate.opened':
          throttledUntil = 0;
          return;
        case 'rate.lowered':
        case 'rate.raised':
          loweredTo = event.reason === 'ceiling' ? undefined : event.perSecond;
      }
    },
  };
}

function rateText(perSecond: number): string {
  return `${rateNumber(perSecond)}/s`;
}

function completeCalls({ calls }: Counts): number {
  return calls.called + calls.reused + calls.joined;
}

function count(number: number): string {
  return number.toLocaleString('en');
}
