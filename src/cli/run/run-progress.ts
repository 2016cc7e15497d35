import type { ClientEvent } from '../../client/client-event.ts';
import type { RateReason } from '../../client/rate/adapt-rate.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import { runName } from '../../ledger/runs/runs.ts';
import { type Counts, totalRows } from '../../rules/outcomes.ts';
import type { SpentSoFar } from '../../run/calls/request-budget.ts';
import type { RunObserver } from '../../run/run-observer.ts';
import { formatMoney } from '../../runtime/budget/money.ts';
import { formatDuration } from '../../runtime/duration.ts';
import type { Log } from '../../runtime/log/log.ts';
import { counted } from '../terminal/counted.ts';
import type { Progress } from '../terminal/progress.ts';
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
      switch (event.type) {
        case 'attempt.made':
          log.debug(withoutType(event), event.type);
          return;
        case 'retry.scheduled':
          log.info(withoutType(event), event.type);
          return;
        case 'service.throttled':
          throttledUntil = event.untilMs;
          log.warn(
            { waitSeconds: Math.ceil(event.waitMs / 1_000), until: isoOf(event.untilMs) },
            event.type,
          );
          return;
        case 'gate.opened':
          throttledUntil = 0;
          log.info(event.type);
          return;
        case 'rate.lowered':
        case 'rate.raised': {
          const isFull = event.reason === 'ceiling';
          loweredTo = isFull ? undefined : event.perSecond;
          const facts = { rate: rateNumber(event.perSecond), ceiling: event.ceiling };
          if (event.type === 'rate.lowered') {
            log.warn({ ...facts, why: loweredBy[event.reason] }, event.type);
          } else if (isFull) log.info(facts, event.type);
          else log.debug(facts, event.type);
        }
      }
    },
  };
}

/** Why the rate is lower than the job's. */
const loweredBy: Readonly<Record<RateReason, string>> = {
  ceiling: 'the job has a lower rate',
  'other job': 'another job on this ledger has a lower rate for the same key',
  throttled: 'the service has throttled calls',
  policy: 'the service says that it allows no more',
  quota: 'the service says that little is left until its quota is whole again',
};

/** `8.47 → 8.5`, `0.0167 → 0.02`; without a limit it is none. */
function rateNumber(perSecond: number): number | 'none' {
  if (perSecond === Number.POSITIVE_INFINITY) return 'none';
  return Number(perSecond.toFixed(perSecond < 1 ? 2 : 1));
}

function rateText(perSecond: number): string {
  return `${rateNumber(perSecond)}/s`;
}

function isoOf(wallMs: number): string {
  return new Date(wallMs).toISOString();
}

function withoutType({ type: _, ...facts }: ClientEvent): object {
  return facts;
}

function completeCalls({ calls }: Counts): number {
  return calls.called + calls.reused + calls.joined;
}

function count(number: number): string {
  return number.toLocaleString('en');
}
