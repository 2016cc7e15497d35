import { type CallRequest, canonicalCall } from '../../core/contract/call.ts';
import type { DossierError } from '../../core/errors.ts';
import { type Counts, totalRows } from '../../core/rules/outcomes.ts';
import { formatMoney } from '../../core/runtime/budget/money.ts';
import { formatDuration } from '../../core/runtime/duration.ts';
import { type Log, type LogFormat, openLog } from '../../core/runtime/log/log.ts';
import type { ClientEvent } from '../../engine/client/client-event.ts';
import type { RateReason } from '../../engine/client/rate/rate-state.ts';
import { runName } from '../../engine/ledger/runs/runs.ts';
import type { RunEnd } from '../../results/manifest.ts';
import type { SpentSoFar } from '../../run/calls/charges.ts';
import type { RunObserver } from '../../run/run-parts.ts';
import type { Reporter } from '../../ui/report/report-sink.ts';
import { chargedLines } from '../status.ts';
import { failureFacts, failureText } from '../terminal/errors.ts';
import { pageFor } from '../terminal/page.ts';
import { clearLine, type Progress, type Terminal } from '../terminal/terminal.ts';
import { counted, formatNumber, fromHere, nameJob, sampleDataText } from '../terminal/text.ts';
import { type DoneRun, type GivenJob, replacedText, summaryText } from './run-texts.ts';

export type RunMessages = ReturnType<typeof openRunMessages>;

/**
 * What a run says on standard error: sentences and a progress line, with its log between them, or,
 * where the log is JSON, events alone. Either way the last event is `run.ended`.
 */
export function openRunMessages(
  given: GivenJob & { readonly logFormat: LogFormat; readonly logLevel: string },
  { note, progress }: Terminal,
) {
  const { logFormat: format, logLevel: level } = given;
  const isPlain = format === 'text';
  const log = openLog({ format, level, beforeLine: clearLine });
  // That a run stops, and how it ends, is an event whatever level a log of JSON has.
  const certain = isPlain ? log : log.child({}, { level: 'info' });
  const sayFailed = (error: unknown, event = 'run.failed') => {
    if (isPlain) note(failureText(error, process.stderr).trimEnd());
    else certain.error(failureFacts(error), event);
  };
  const sayNote = (...texts: string[]) => {
    if (isPlain) note(...texts);
    else for (const text of texts) log.info({ note: text }, 'run.noted');
  };
  return {
    log,
    given,
    /** Gives the observer that shows a run. */
    show: (budget: SpentSoFar) =>
      showRun(log, { certain, budget, say: sayNote, given, ...(isPlain && { progress }) }),
    sayNote,
    sayFailed,
    sayLive(url: string) {
      if (isPlain) note(`Live: ${url}`);
      else certain.info({ url }, 'view.opened');
    },
    /** Names the calls that a second signal cuts off. */
    sayCutOff(calls: readonly CallRequest[]) {
      if (isPlain) note(cutOffText(calls));
      else certain.warn({ unanswered: calls }, 'run.cut_off');
    },
    /** `unstored` says why its ledger was not stored, where that is to be kept elsewhere. */
    sayDone(ended: RunEnd, done: DoneRun, reporter: Reporter, unstored?: DossierError) {
      const report = reporter.path();
      const trouble = reporter.trouble().trim();
      if (isPlain) {
        note(summaryText(ended, done, given, pageFor(process.stderr)).join('\n'));
        note(report ? `Report: ${fromHere(report)}` : trouble);
      } else if (trouble !== '') log.warn({ reason: trouble }, 'report.missing');
      const { unreached } = done.exported;
      if (unreached) sayFailed(unreached, 'output.unreached');
      if (unstored) sayFailed(unstored, 'snapshot.unstored');
    },
    /** The last event, without lists of files and what is not known. */
    end(ended: RunEnd, report?: string) {
      const { files: _, unchanged: _same, notes: _notes, destinations, ...facts } = ended;
      const places = destinations?.map(({ files: _all, unchanged: _some, ...place }) => place);
      const known = Object.entries({ ...facts, destinations: places, report });
      const event = known.filter(([, value]) => value !== null && value !== undefined);
      certain.info(Object.fromEntries(event), 'run.ended');
    },
  };
}

/** What a second signal costs, for people: the calls that may have been charged without an answer. */
export function cutOffText(calls: readonly CallRequest[]): string {
  if (calls.length === 0) return 'Left at once; no call was waiting for its answer.';
  return [
    ...chargedLines('Left at once; ', calls.map(canonicalCall), pageFor(process.stderr)),
    'They are made again by the next run; `dossier status` names them all.',
  ].join('\n');
}

/** What a run and its client tell while they work. */
type RunEvents = Required<RunObserver> & { onEvent(event: ClientEvent): void };

/** One observer that passes everything on to all the given ones; undefined ones are left out. */
export function joinObservers(...observers: (Partial<RunEvents> | undefined)[]): RunEvents {
  const get = (_: RunEvents, name: keyof RunEvents) => {
    const hear: (...facts: never[]) => void = (...facts) => {
      for (const observer of observers) (observer?.[name] as typeof hear | undefined)?.(...facts);
    };
    return hear;
  };
  return new Proxy({} as RunEvents, { get: get as ProxyHandler<RunEvents>['get'] & {} });
}

const repeatHeldMs = 60_000;

interface RunWords {
  /** Shows how far the run is; without it, everything is an event of the log. */
  readonly progress?: Pick<Progress, 'show' | 'showReceived'>;
  /** Tells people what they have to know at once. */
  readonly say?: (...sentences: string[]) => void;
  /** The job as it stands on the command line. */
  readonly given?: GivenJob;
  /** What is spent so far, where money is to be shown. */
  readonly budget?: SpentSoFar;
  /** The log that hears of a stop, whatever its level. */
  readonly certain?: Log;
}

/** Shows the events of a run as a progress line for people and as log lines. */
export function showRun(log: Log, words: RunWords = {}) {
  const { progress, say, given, budget, certain = log } = words;
  let startedAt = performance.now();
  let callsAtStart = 0;
  let throttledUntil = 0;
  let lowered = Number.POSITIVE_INFINITY;
  let isStopping = false;
  let toldOfHeldAt = Number.NEGATIVE_INFINITY;

  return {
    onReceive: (...received) => progress?.showReceived(...received),
    onIngest: (rows, share) => progress?.show(`reading  ${formatNumber(rows)} rows`, share),
    onStart(run, isResumed, counts, { notes, replaces }) {
      startedAt = performance.now();
      callsAtStart = completeCalls(counts.calls);
      const rows = totalRows(counts);
      const { job } = run;
      const openCalls = counts.calls.open;
      log.info({ run: runName(run), job, rows, openCalls, isResumed }, 'run.started');
      if (!given) return;
      const now = { input: run.inputName, rows };
      const replaced = replaces ? [replacedText(replaces, now, given)] : [];
      say?.(...sampleDataText(run.service), ...notes.map(nameJob), ...replaced);
    },
    onProgress(counts) {
      const { rows, calls } = counts;
      const complete = completeCalls(calls);
      const all = complete + calls.open;
      const seconds = Math.max(1, performance.now() - startedAt) / 1_000;
      const rate = (complete - callsAtStart) / seconds;
      const waitMs = Math.max(0, throttledUntil - Date.now());
      // Calls that were answered before the rate was lowered say nothing of those that are left.
      const leftMs = waitMs + (calls.open / Math.min(rate, lowered)) * 1_000;
      const total = totalRows(counts);
      const done = formatNumber(total - rows.open);
      const parts = [
        isStopping ? 'stopping' : 'calling',
        `${formatNumber(complete)}/${formatNumber(all)} calls`,
        `${done}/${formatNumber(total)} rows`,
        `${rate.toFixed(rate < 10 ? 1 : 0)}/s`,
        rate > 0 && calls.open > 0 && !isStopping && `${formatDuration(leftMs)} left`,
        lowered < Number.POSITIVE_INFINITY && `lowered to ${rateNumber(lowered)}/s`,
        waitMs > 0 && `throttled for ${formatDuration(waitMs)}`,
        `${formatNumber(rows.matched)} of ${done} matched`,
        `${formatNumber(rows.not_found)} not found`,
        rows.failed > 0 && `${formatNumber(rows.failed)} failed`,
        budget?.money && `up to ${formatMoney(budget.money)}`,
      ];
      progress?.show(parts.filter(Boolean).join('  '), complete / Math.max(1, all));
    },
    onExport: () => progress?.show('writing files'),
    onStop({ answers, atMostMs }) {
      isStopping = true;
      const atMostSeconds = Math.ceil(atMostMs / 1_000);
      certain.info({ answers, atMostSeconds }, 'run.stopping');
      const waiting = `waiting for ${counted(answers, 'answer')}`;
      if (answers > 0 && progress)
        say?.(`Stopping: ${waiting}, at most ${atMostSeconds} s; again to leave at once.`);
    },
    onHeld(waitedMs) {
      progress?.show(`waiting  another program holds the ledger  ${formatDuration(waitedMs)}`);
      if (performance.now() - toldOfHeldAt < repeatHeldMs) return;
      toldOfHeldAt = performance.now();
      const waitedSeconds = Math.round(waitedMs / 1_000);
      log.warn({ waitedSeconds, advice: 'fuser -v <ledger> names the program' }, 'ledger.held');
    },
    onPrune: (pruned) => log.info(pruned, 'ledger.pruned'),
    onFewerCalls(facts) {
      const why = 'the start before died with calls in flight and stored no answer';
      log.warn({ ...facts, why }, 'run.slowed');
    },
    onEvent({ type, ...event }) {
      if ('untilMs' in event) {
        throttledUntil = event.untilMs;
        const until = new Date(event.untilMs).toISOString();
        log.warn({ waitSeconds: Math.ceil(event.waitMs / 1_000), until }, type);
      } else if ('perSecond' in event) {
        const { perSecond, ceiling, reason } = event;
        const isBack = reason === 'ceiling';
        lowered = isBack ? Number.POSITIVE_INFINITY : perSecond;
        const facts = { rate: rateNumber(perSecond), ceiling };
        if (type === 'rate.lowered') log.warn({ ...facts, why: loweredBy[reason] }, type);
        else log[isBack ? 'info' : 'debug'](facts, type);
      } else {
        if (type === 'gate.opened') throttledUntil = 0;
        log[type === 'attempt.made' ? 'debug' : 'info'](event, type);
      }
    },
  } satisfies Partial<RunEvents>;
}

/** Why the rate is lower than the one that was asked for. */
const loweredBy: Readonly<Record<RateReason, string>> = {
  ceiling: 'the job has a lower rate',
  'other job': 'another run asks for a lower rate of the same key',
  throttled: 'the service has throttled calls',
  policy: 'the service says that it allows no more',
};

/** `8.47 → 8.5`, `0.0167 → 0.02`; without a limit it is none. */
function rateNumber(perSecond: number): number | 'none' {
  if (perSecond === Number.POSITIVE_INFINITY) return 'none';
  return Number(perSecond.toFixed(perSecond < 1 ? 2 : 1));
}

function completeCalls({ made, failed, reused, joined }: Counts['calls']): number {
  return made + failed + reused + joined;
}
