import { type Call, callText } from '../../core/contract/call.ts';
import type { DossierError } from '../../core/errors.ts';
import { type Counts, totalRows } from '../../core/rules/outcomes.ts';
import { formatDuration } from '../../core/values/duration.ts';
import { counted, formatNumber, listed } from '../../core/values/format.ts';
import { formatMoney, formatPaid, formatSpent, totalSpend } from '../../core/values/money.ts';
import type { ClientEvent } from '../../engine/client/client-event.ts';
import type { RateReason } from '../../engine/client/rate/rate-state.ts';
import { runName } from '../../engine/ledger/runs/runs.ts';
import { fromHere } from '../../platform/files/local-path.ts';
import { createLog, type Log, type LogFormat } from '../../platform/log.ts';
import type { SpentSoFar } from '../../run/calls/start-budget.ts';
import type { Estimate } from '../../run/estimate-run.ts';
import type { RunObserver } from '../../run/run-parts.ts';
import type { RunEnd } from '../../run/run-schemas.ts';
import { costText } from '../../run/run-words.ts';
import type { Reporter } from '../../ui/report/report-sink.ts';
import { chargedLines } from '../status.ts';
import {
  clearLine,
  failureFacts,
  failureText,
  type Progress,
  type Terminal,
} from '../terminal/terminal.ts';
import { nameJob, pageFor, sampleDataText } from '../terminal/text.ts';
import { type DoneRun, type GivenJob, replacedText, summaryText } from './run-texts.ts';

export type RunMessages = ReturnType<typeof openRunMessages>;

/** A JSON log has only events, and the last one is always `run.ended`. */
export function openRunMessages(
  given: GivenJob & { readonly logFormat: LogFormat; readonly logLevel: string },
  { note, progress }: Terminal,
) {
  const { logFormat: format, logLevel: level } = given;
  const isPlain = format === 'text';
  const saysInWords = (event: string, facts: Record<string, unknown>) => {
    const words = wordsOfWarnings[event]?.(facts);
    if (words !== undefined) sayNote(words);
    return words !== undefined;
  };
  const log = createLog({
    format,
    level,
    beforeLine: clearLine,
    ...(process.stderr.isTTY && { saysInWords }),
  });
  // A JSON log has the stop and the end of a run at every log level.
  const alwaysLog = isPlain ? log : log.child({}, { level: 'info' });
  const sayFailed = (error: unknown, event = 'run.failed') => {
    if (isPlain) note(failureText(error, process.stderr).trimEnd());
    else alwaysLog.error(failureFacts(error), event);
  };
  const said = new Set<string>();
  /** Notes of the list are said before its price, and not again. */
  const sayNote = (...texts: string[]) => {
    const news = texts.filter((text) => !said.has(text));
    for (const text of news) said.add(text);
    if (isPlain) note(...news);
    else for (const text of news) log.info({ note: text }, 'run.noted');
  };
  const planned = { most: '', expected: '' };
  let soFar: SpentSoFar | undefined;
  return {
    log,
    given,
    /** Progress and summary compare what is spent with the price shown before. */
    notePrice({ calls, price }: Estimate, isStoppedThere: boolean) {
      if (!price || calls.most === 0) return;
      if (isStoppedThere) planned.most = ` of at most ${formatMoney(price.currency, price.most)}`;
      if (price.expected === null) return;
      planned.expected = `, expected ${formatMoney(price.currency, price.expected)}`;
    },
    show(budget?: SpentSoFar) {
      soFar = budget;
      const shown = isPlain ? progress : undefined;
      return showRun(log, alwaysLog, given, sayNote, shown, budget, planned);
    },
    sayNote,
    sayFailed,
    /** After a run that did not finish. */
    saySpent(ended: RunEnd) {
      const { wholeRun, requests, calls } = ended;
      if (!isPlain || !wholeRun?.requests) return;
      const cost = costText(wholeRun, wholeRun.made + (calls?.failed ?? 0));
      if (cost === '') return;
      const now = requests < wholeRun.requests ? `, ${formatSpent(ended)} in this start` : '';
      note(`Spent so far: ${cost}${now}. Answers are not paid for twice.`);
    },
    sayCutOff(calls: readonly Call[]) {
      if (isPlain) note(cutOffText(calls));
      else alwaysLog.warn({ unanswered: calls }, 'run.cut_off');
    },
    sayDone(ended: RunEnd, done: DoneRun, reporter: Reporter, snapshotError?: DossierError) {
      const report = reporter.path();
      const problem = reporter.problem().trim();
      if (isPlain) {
        const { reasons } = reporter;
        const text = planned.most + planned.expected;
        const whole = { ...done, planned: text, spend: soFar?.spend, reasons: reasons() };
        note(summaryText(ended, whole, given, pageFor(process.stderr)).join('\n'));
        note(report ? `Report: ${fromHere(report)}` : problem);
      } else if (problem !== '') log.warn({ reason: problem }, 'report.missing');
      const { unreached } = done.exported;
      if (unreached) sayFailed(unreached, 'output.unreached');
      if (snapshotError) sayFailed(snapshotError, 'snapshot.unstored');
    },
    end(ended: RunEnd, report?: string) {
      const { files: _, unchanged: _same, notes: _notes, destinations, ...facts } = ended;
      const written = destinations?.map(
        ({ files: _all, unchanged: _some, ...destination }) => destination,
      );
      const known = Object.entries({ ...facts, destinations: written, report }).filter(
        ([, value]) => value != null,
      );
      alwaysLog.info(Object.fromEntries(known), 'run.ended');
    },
  };
}

function cutOffText(calls: readonly Call[]) {
  if (calls.length === 0) return 'Stopped; no call was waiting for an answer.';
  return [
    ...chargedLines('Stopped: ', calls.map(callText), pageFor(process.stderr)),
    nameJob('The next run will make these calls again; `dossier status <job>` lists all of them.'),
  ].join('\n');
}

type RunEvents = Required<RunObserver> & { onEvent(event: ClientEvent): void };

/** Each event goes to all observers that listen to it, in their order. */
export function joinObservers(...observers: (Partial<RunEvents> | undefined)[]): RunEvents {
  const tell =
    <Name extends keyof RunEvents>(name: Name) =>
    (...facts: Parameters<RunEvents[Name]>) => {
      for (const observer of observers) {
        (observer?.[name] as ((...given: typeof facts) => void) | undefined)?.(...facts);
      }
    };
  return {
    onReceive: tell('onReceive'),
    onIngest: tell('onIngest'),
    onTaken: tell('onTaken'),
    onStart: tell('onStart'),
    onProgress: tell('onProgress'),
    onExport: tell('onExport'),
    onChecked: tell('onChecked'),
    onWritten: tell('onWritten'),
    onStop: tell('onStop'),
    onPrune: tell('onPrune'),
    onBusy: tell('onBusy'),
    onFewerCalls: tell('onFewerCalls'),
    onEvent: tell('onEvent'),
  };
}

const repeatHeldMs = 60_000;

export function showRun(
  log: Log,
  alwaysLog: Log,
  given: GivenJob,
  say: (...sentences: string[]) => void,
  /** Absent with a JSON log. */
  progress?: Pick<Progress, 'show' | 'showReceived'>,
  budget?: SpentSoFar,
  planned: { readonly most: string } = { most: '' },
) {
  const pace = { ...paceAtStart };
  let loggedHeldAt = Number.NEGATIVE_INFINITY;
  let missedAtStart: number | undefined;
  let hasPeople = false;

  return {
    onReceive: (...received) => progress?.showReceived(...received),
    onIngest: (rows, share) => progress?.show(() => `reading  ${formatNumber(rows)} rows`, share),
    onStart(run, isResumed, counts, { notes, replaces }) {
      pace.startedAt = performance.now();
      pace.madeAtStart = madeCalls(counts.calls);
      missedAtStart = counts.rows.not_found;
      hasPeople = run.hasPeople;
      const rows = totalRows(counts);
      const { job } = run;
      const openCalls = counts.calls.open;
      log.info({ run: runName(run), job, rows, openCalls, isResumed }, 'run.started');
      const replaced = replaces ? [replacedText(replaces, given)] : [];
      say(...sampleDataText(run), ...notes.map(nameJob), ...replaced);
    },
    onProgress(counts) {
      const made = madeCalls(counts.calls) - pace.madeAtStart;
      const share = made / Math.max(1, made + counts.calls.open);
      progress?.show(() => progressText(counts, pace, budget, planned.most, hasPeople), share);
      const missed = counts.rows.not_found - (missedAtStart ?? 0);
      if (missedAtStart === undefined || missed < missesUntilSaid) return;
      missedAtStart = undefined;
      // Known answers show as well that service and columns are right.
      if (counts.rows.matched > 0 || counts.calls.open === 0) return;
      const text = nothingFoundText(missed, counts, budget);
      if (progress) say(text);
      else log.warn({ note: text }, 'run.noted');
    },
    onExport: () => progress?.show(() => 'writing files'),
    onStop({ answers, atMostMs }) {
      pace.isStopping = true;
      const atMostSeconds = Math.ceil(atMostMs / 1_000);
      alwaysLog.info({ answers, atMostSeconds }, 'run.stopping');
      if (answers > 0 && progress)
        say(
          `Waiting for ${counted(answers, 'answer')}, at most ${atMostSeconds} s. Press Ctrl-C again to exit now.`,
        );
    },
    onBusy(waitedMs) {
      progress?.show(
        () => `waiting  the ledger is locked by another program  ${formatDuration(waitedMs)}`,
      );
      if (performance.now() - loggedHeldAt < repeatHeldMs) return;
      loggedHeldAt = performance.now();
      const waitedSeconds = Math.round(waitedMs / 1_000);
      log.warn({ waitedSeconds, advice: 'fuser -v <ledger> names the program' }, 'ledger.held');
    },
    onPrune: (pruned) => log.info(pruned, 'ledger.pruned'),
    onFewerCalls(facts) {
      const why = 'the last process of this run died with calls in flight and stored no answer';
      log.warn({ ...facts, why }, 'run.slowed');
    },
    onEvent(happened) {
      // One for each request, and most runs log none of them.
      if (happened.type === 'attempt.made' && !log.isLevelEnabled('debug')) return;
      const { type, ...event } = happened;
      if ('untilMs' in event) {
        pace.throttledUntil = event.untilMs;
        pace.mostMs = event.mostMs;
        const until = new Date(event.untilMs).toISOString();
        const [waitSeconds, atMostSeconds] = [event.waitMs, event.mostMs].map((ms) =>
          Math.ceil(ms / 1_000),
        );
        log.warn({ waitSeconds, until, atMostSeconds }, type);
      } else if ('perSecond' in event) {
        const { perSecond, ceiling, reason } = event;
        const isBack = reason === 'ceiling';
        pace.lowered = isBack ? Number.POSITIVE_INFINITY : perSecond;
        const facts = { rate: rateNumber(perSecond), ceiling };
        if (type === 'rate.lowered') log.warn({ ...facts, why: loweredBy[reason] }, type);
        else log[isBack ? 'info' : 'debug'](facts, type);
      } else {
        if (type === 'gate.opened') pace.throttledUntil = 0;
        log[type === 'attempt.made' ? 'debug' : 'info'](event, type);
      }
    },
  } satisfies Partial<RunEvents>;
}

const throttledText = 'The service throttles calls, so the run waits and slows down.';

/** In a terminal, each is said once. */
const wordsOfWarnings: Readonly<Record<string, (facts: Record<string, unknown>) => string>> = {
  'service.throttled': () => throttledText,
  'rate.lowered': ({ why }) =>
    why === loweredBy.throttled ? throttledText : `Calls are slowed down: ${why}.`,
  'ledger.held': ({ advice }) => `Another program locks the ledger: ${advice}.`,
  'run.slowed': ({ why }) => `Fewer calls are made at a time: ${why}.`,
  'key.unguarded': ({ warning }) => String(warning),
};

const missesUntilSaid = 20;

function nothingFoundText(missed: number, { calls }: Counts, budget?: SpentSoFar) {
  const paid = formatPaid(totalSpend(budget?.spend ?? []).missMoney);
  const cost = paid === '' ? '' : `; they cost ${paid}`;
  return `No company found for the first ${counted(missed, 'row')}${cost}. Is this the right service, country and column? ${counted(calls.open, 'call')} left; Ctrl-C stops the run, and no answer is paid for twice.`;
}

const paceAtStart = {
  startedAt: 0,
  madeAtStart: 0,
  throttledUntil: 0,
  mostMs: 0,
  lowered: Number.POSITIVE_INFINITY,
  isStopping: false,
};

function progressText(
  counts: Counts,
  pace: typeof paceAtStart,
  budget: SpentSoFar | undefined,
  most: string,
  hasPeople: boolean,
) {
  const { rows, calls } = counts;
  const { lowered, isStopping } = pace;
  const made = madeCalls(calls) - pace.madeAtStart;
  const seconds = Math.max(1, performance.now() - pace.startedAt) / 1_000;
  const rate = made / seconds;
  const waitMs = Math.max(0, pace.throttledUntil - Date.now());
  // The pace before the rate was lowered does not predict the remaining time.
  const leftMs = waitMs + (calls.open / Math.min(rate, lowered)) * 1_000;
  const total = totalRows(counts);
  const answered = calls.reused + calls.joined;
  // A page of people, or a company found, may open further calls.
  const known = made + calls.open;
  const needed =
    hasPeople && calls.open > 0 ? `${formatNumber(known)}+ calls` : counted(known, 'call');
  // The first parts fit 80 columns.
  const parts = [
    isStopping ? 'stopping' : 'calling',
    `${formatNumber(made)} of ${needed}`,
    budget?.money && formatSpent(totalSpend(budget.spend)),
    budget?.money && most.trim(),
    rate > 0 && calls.open > 0 && !isStopping && `${formatDuration(leftMs)} left`,
    waitMs > 0 &&
      `throttled for ${formatDuration(waitMs)}, at most ${formatDuration(pace.mostMs)} in all`,
    `${rate.toFixed(rate < 10 ? 1 : 0)}/s`,
    lowered < Number.POSITIVE_INFINITY && `lowered to ${rateNumber(lowered)}/s`,
    `${formatNumber(total - rows.open)} of ${counted(total, 'row')}`,
    listed({ found: rows.matched, 'not found': rows.not_found, failed: rows.failed }),
    answered > 0 && `${formatNumber(answered)} already answered`,
  ];
  return parts.filter(Boolean).join('  ');
}

const loweredBy: Readonly<Record<RateReason, string>> = {
  ceiling: 'the job has a lower rate',
  'other job': 'another run with the same key has a lower rate',
  throttled: 'the service throttled calls',
};

function rateNumber(perSecond: number): number | 'none' {
  if (perSecond === Number.POSITIVE_INFINITY) return 'none';
  return Number(perSecond.toFixed(perSecond < 1 ? 2 : 1));
}

function madeCalls({ made, failed }: Counts['calls']) {
  return made + failed;
}
