import { DossierError, messageOf, withSentence } from '../../core/errors.ts';
import { withoutSecrets } from '../../core/values/known-secrets.ts';
import { openLedgerToRead } from '../../engine/ledger/open-ledger.ts';
import { isHeldForVanished } from '../../engine/queue/misses/last-result.ts';
import { openMetrics } from '../../integrations/metrics/open-metrics.ts';
import type { SecretAddress } from '../../job/read-address.ts';
import type { JobLedger, JobResult, ResolvedJob } from '../../job/resolved-job.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { packageVersion } from '../../platform/package-path.ts';
import { createStartBudget, type StartBudget } from '../../run/calls/start-budget.ts';
import { keepEditedRejects } from '../../run/export/destinations.ts';
import type { CreateReport } from '../../run/export/export-run.ts';
import { ledgerNotes } from '../../run/jobs/find-ledger.ts';
import type { readJobToRun } from '../../run/jobs/read-job.ts';
import { runJob } from '../../run/run-job.ts';
import type { RunParts } from '../../run/run-parts.ts';
import { createReporter } from '../../ui/report/report-sink.ts';
import { accountsFor, prepareConnection } from '../parts/connect.ts';
import { guardCalls, type LeasedLedger, whileLeased } from '../parts/lease-ledger.ts';
import { launchBrowser } from '../parts/open-browser.ts';
import { nextRunText } from '../plan.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { cappedText, heldRemedy, nameJob, nameJobFromAnywhere } from '../terminal/text.ts';
import { createAcceptance } from './accept.ts';
import { startedBy } from './end-record.ts';
import { createEnding, type Ending } from './ending.ts';
import { listenForSignals } from './interruption.ts';
import { joinObservers, openRunMessages, type RunMessages } from './run-messages.ts';
import { replacedText } from './run-texts.ts';
import { confirmPrice, estimateLines } from './show-price.ts';

type RunArgs = Parameters<typeof openRunMessages>[0] & {
  readonly json: boolean;
  readonly metricsFile?: string | undefined;
  readonly open?: boolean;
  readonly yes: boolean;
  readonly accept: readonly string[] | undefined;
};

type FoundJob = ReturnType<typeof readJobToRun>;

/** `prepare` runs before the job and returns notes. */
type Perform = (job: FoundJob, prepare?: () => Promise<readonly string[]>) => Promise<undefined>;

/** Reports an error of `work` as the end of a run. */
export async function asRun<Result>(
  args: RunArgs,
  terminal: Terminal,
  work: (perform: Perform) => Promise<Result>,
) {
  const messages = openRunMessages(args, terminal);
  const end = createEnding(messages, args.json);
  try {
    return await work(performWith(args, messages, end));
  } catch (error) {
    await end.failed(error);
    return undefined;
  }
}

function performWith(args: RunArgs, messages: RunMessages, end: Ending): Perform {
  return async (job, prepare = () => keepEditedRejects(job)) => {
    const start = await beginStart(args, job, messages, end);
    const { metrics, record } = start;
    const reporter = createReporter(nameJobFromAnywhere);
    const { result, notes, snapshotError } = await metrics.watch(() =>
      runUnderLease(args, job, messages, start, reporter.createReport, prepare),
    );
    const nextRun = result.held ? await nextRunText(job, isHeldForVanished(result)) : '';
    const summary = { ...result, nextRun };
    const ended = record.done(summary, notes, snapshotError);
    await metrics.end(ended.exitCode);
    process.exitCode = ended.exitCode;
    await end.done(ended, summary, reporter, snapshotError);
    const report = reporter.path();
    if (args.open && report !== undefined) launchBrowser(report);
  };
}

/** All that watches a start, before anything can fail unseen. */
async function beginStart(args: RunArgs, job: FoundJob, messages: RunMessages, end: Ending) {
  const { log } = messages;
  const version = packageVersion();
  const budget = createStartBudget(job);
  const metrics = await openMetrics(args.metricsFile, {
    job: job.name,
    clock: systemClock,
    log,
    budget,
  });
  const { signal, onStop } = listenForSignals(end.cutOff);
  const onCall = await openJobOnCall(job, version, log);
  const record = end.begin(job.name, budget, onCall);
  // Said with the price, because a list that cannot be read stores nothing.
  const ofLedger = args.logFormat === 'text' ? ledgerNotes(job) : [];
  const observer = joinObservers(
    { onStart: () => messages.sayNote(...ofLedger) },
    messages.show(budget),
    record,
    { onStop, onTaken: () => onCall?.begin() },
    metrics.meter,
  );
  return { version, budget, metrics, signal, record, ofLedger, observer };
}

/** Runs the job while no other machine has its ledger. */
async function runUnderLease(
  args: RunArgs,
  job: FoundJob,
  messages: RunMessages,
  { version, budget, metrics, signal, ofLedger, observer }: Awaited<ReturnType<typeof beginStart>>,
  createReport: CreateReport,
  prepare: () => Promise<readonly string[]>,
) {
  const { log, sayNote: say } = messages;
  const { acceptsList, acceptsClock, flags } = createAcceptance(args.accept);
  const connect = prepareConnection(job, log, observer.onEvent);
  const command = () => (args.isFix ? 'fix' : 'run') + flags();
  const notes: string[] = [];
  const leased = await whileLeased(job, { log, say, signal, command }, async (ledger) => {
    metrics.followLedger(ledger);
    if (args.newLedger) refuseUsedLedger(job);
    notes.push(...(await prepare()).map(nameJob));
    say(...notes);
    return await runLeased(job, ledger, connect, {
      createReport,
      clock: systemClock,
      version,
      startedBy: startedBy(),
      signal,
      observer,
      budget,
      acceptsList: (held) => acceptsList(held, signal),
      acceptsClock,
      onPriced: showPriceOf(job, args, messages, budget, signal, ofLedger),
      isFix: args.isFix,
    });
  });
  return { ...leased, notes };
}

type PartsWithoutClient = Omit<RunParts, 'openClient'>;

/** Makes no call after another machine has taken the ledger. */
async function runLeased(
  job: ResolvedJob,
  ledger: LeasedLedger | undefined,
  connect: RunParts['openClient'],
  parts: PartsWithoutClient,
) {
  try {
    return await runJob(job, {
      ...parts,
      openClient: async (...opening) => guardCalls(ledger, await connect(...opening)),
      accounts: accountsFor(job),
      signal: ledger?.signal ?? parts.signal,
    });
  } catch (error) {
    throw await withNextRun(error, job);
  }
}

/** A free run has no price to show. Only a user at a terminal is asked. */
function showPriceOf(
  job: ResolvedJob,
  args: RunArgs,
  messages: RunMessages,
  budget: StartBudget,
  signal: AbortSignal,
  notes: readonly string[],
): RunParts['onPriced'] {
  if (job.services.every(({ isSample }) => isSample)) return undefined;
  const isTerminal = process.stderr.isTTY === true && args.logFormat === 'text';
  return async (estimate, notesOfList, replaces) => {
    const replaced = replaces ? [replacedText(replaces, messages.given)] : [];
    const price = estimateLines(estimate, job, isTerminal);
    messages.sayNote(...notes, ...notesOfList.map(nameJob), ...replaced, ...price);
    messages.notePrice(estimate, isTerminal || cappedText(estimate, job.services) !== '');
    if (isTerminal) await confirmPrice(estimate, job, budget, signal, args.yes);
  };
}

async function withNextRun(error: unknown, job: ResolvedJob) {
  if (!(error instanceof DossierError)) return error;
  const { code, message } = error;
  if (code === 'CLOCK_AHEAD') {
    return new DossierError(code, message, { remedy: heldRemedy('clock') });
  }
  const nextRun = code === 'STILL_VANISHED' && (await nextRunText(job, true));
  return nextRun ? withSentence(error, nextRun) : error;
}

/** A first start that could not read its list leaves a ledger without a run. */
function refuseUsedLedger({ ledger: path }: JobLedger) {
  using ledger = openLedgerToRead(path);
  if (!ledger?.runs.list().some(({ state }) => state !== 'ingesting')) return;
  throw new DossierError('FILE_EXISTS', `there is already a ledger at ${path}`);
}

/** A bad address must not stop a run. */
async function openJobOnCall(
  { onCall: { notify, heartbeat } }: JobResult,
  version: string,
  log: Log,
) {
  const reveal = (to: string, address: SecretAddress | undefined) => {
    try {
      return address?.reveal(process.env);
    } catch (error) {
      log.warn({ to, reason: withoutSecrets(messageOf(error)) }, 'oncall.unavailable');
      return undefined;
    }
  };
  const address = reveal('notify', notify?.address);
  const beat = reveal('heartbeat', heartbeat);
  if (!address && !beat) return undefined;
  const { openOnCall } = await import('../../integrations/oncall/on-call.ts');
  return openOnCall(address && { address, on: notify?.on ?? [] }, beat, version, log);
}
