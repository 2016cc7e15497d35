import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import type { Country } from '../core/contract/countries.ts';
import { DossierError, type ErrorCode, exitCodeOf, withSentence } from '../core/errors.ts';
import type { RowCandidate } from '../core/rules/next-candidate.ts';
import { type Counts, noCounts, totalRows } from '../core/rules/outcomes.ts';
import { suppressedEnd } from '../core/rules/row-verdict.ts';
import { type LeftOut, openSuppression } from '../core/rules/suppression.ts';
import { holdMemory } from '../core/runtime/memory.ts';
import { openThread, type Thread } from '../core/runtime/thread/thread.ts';
import { type Ledger, openLedgerToRead } from '../engine/ledger/open-ledger.ts';
import { runName } from '../engine/ledger/runs/runs.ts';
import { type JobRuns, withJob } from '../engine/queue/job-runs.ts';
import { foundNoneAtFirst } from '../engine/queue/judge-run.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { resolveCalls } from './calls/call-service.ts';
import { openRequestBudget } from './calls/charges.ts';
import { beginRun, openRun, queueTerms, readLeftOut } from './open-run.ts';
import { findReplaced, removeHeldResults, requirePlaces } from './result-places.ts';
import { isUndelivered } from './run-facts.ts';
import type { RunParts } from './run-parts.ts';
import { foldersIn, type OutputParts, type RunExport, writeOutputs } from './write-outputs.ts';

/** Runs a job, or goes on with it: calls that were answered before are not made again. */
export async function runJob(job: ResolvedJob, parts: RunParts) {
  holdMemory();
  requirePlaces(job);
  const { leftOut, notes } = await readLeftOut(job, parts.signal);
  await using thread = await openThreadForList(job.input.path);
  const { signal, version, clock, startedBy = 'script', account } = parts;
  const { onHeld } = parts.observer;
  const start = { version, startedBy, clock };
  const work = (runs: JobRuns) => runWith(runs, job, parts, notes);
  return await withJob(queueTerms(job, account, leftOut), work, { thread, signal, start, onHeld });
}

async function runWith(
  runs: JobRuns,
  job: ResolvedJob,
  parts: RunParts,
  suppressionNotes: readonly string[],
) {
  const { clock, signal, observer } = parts;
  observer.onTaken?.();
  const delivered = await deliverMissing(runs.ledger, job, parts);
  const { onIngest: onProgress, onReceive: onReceived } = observer;
  const { acceptsList = false } = parts;
  const onListHeld = (why: string) => {
    const message = `the list is not what was expected, so no call was made: ${why}`;
    if (!acceptsList) throw new DossierError('LIST_HELD', message);
  };
  const reading = { clock, signal, onProgress, onReceived, onListHeld };
  const opened = await openRun(runs, job, reading).catch(async (error: unknown) => {
    const isRefused = error instanceof DossierError && /^LIST_/.test(error.code);
    if (isRefused) await runs.dropRead();
    throw error;
  });
  const { run, isResumed } = opened;
  const notes = [...delivered, ...suppressionNotes, ...opened.notes];
  const replaces = await findReplaced(job, run, totalRows(opened.counts));
  const { budget = openRequestBudget(job) } = parts;
  const spentBefore = runs.ledger.spend.ofRun(run.id);
  observer.onStart(run, isResumed, opened.counts, { notes, replaces, spentBefore });
  const isProven = runs.ledger.calls.isProven(job.service.url);
  const hasCalls = opened.counts.calls.open > 0;
  const deadStarts = hasCalls ? await runs.beginCalling(run, opened.counts) : 0;
  const write = async (ended: Pick<OutputParts, 'endedAt' | 'held' | 'mayLeave' | 'stopped'>) => {
    observer.onExport();
    const exported = await writeOutputs(runs.ledger, job, run.id, { ...parts, ...ended });
    observer.onWritten?.(exported);
    return exported;
  };
  const calling = resolveCalls(opened, job, { ...parts, isProven, budget }, deadStarts);
  const counts = await calling.catch(async (error: unknown) => {
    const writeSoFar = ({ message }: Error) => write({ stopped: message });
    throw await writeStopped(error, writeSoFar, signal);
  });

  const endedAt = clock.wallMs();
  const held = await runs.judge(run, job.expect, counts);
  observer.onJudged?.(held);
  const exported = await write({ endedAt, held, mayLeave: held === null });
  // After the files: a run that dies while writing them is resumed, judged and written again.
  const foundNone = foundNoneAtFirst(runs.ledger, run, counts);
  const exitCode = exitCodeAfter(counts, job.expect, held !== null, exported, foundNone);
  await runs.finish(run, endedAt, exitCode, held, exported.unreached?.code);
  if (!held) await removeHeldResults(runs.ledger.runs, foldersIn(exported), run);
  const { keepRuns } = job.ledgerCare;
  const { companiesMs, missesMs, peopleMs, staleOnFailureMs } = job.reuse;
  const useMs = Math.max(companiesMs, missesMs, peopleMs, staleOnFailureMs);
  const pruned = await runs.prune({ keepRuns, useMs }, endedAt);
  if (pruned.runs > 0) observer.onPrune?.(pruned);
  return {
    run,
    isResumed,
    counts,
    endedAt,
    /** Expectations that were not met, so that the files are held; null where they are published. */
    held,
    exported,
    exitCode,
  };
}

/** Brings the newest result to destinations that lack it, without a call. A note says what came of it. */
async function deliverMissing(ledger: Ledger, job: ResolvedJob, parts: RunParts) {
  const run = ledger.runs
    .list(job.name)
    .find(({ state, held, rowLimit }) => state === 'finished' && !held && rowLimit === null);
  const starts = ledger.starts.list(job.name, Number.MAX_SAFE_INTEGER);
  const start = starts.find(({ runId }) => runId === run?.id);
  if (!run || run.prunedAt !== null || !isUndelivered(start?.reason)) return [];
  const { version, openReport, signal } = parts;
  const missing = { version, openReport, signal, mayLeave: true };
  const { unreached, places } = await writeOutputs(ledger, job, run.id, missing);
  // What is still away gets the changes of that run with the result of this one.
  if (unreached) return [`${runName(run)} is still undelivered: ${unreached.message}`];
  ledger.together(() => ledger.starts.delivered({ job: job.name, runId: run.id }));
  const pruned = new Set(places.flatMap(({ summary }) => summary?.changes.missing ?? []));
  const gap = pruned.size > 0 ? `, without the changes of ${[...pruned].join(', ')} (pruned)` : '';
  return [`${runName(run)} was undelivered and is now in all its places${gap}; no call was made.`];
}

/** Failed rows that `expect.failed` allows are a success; it does not count searches and damaged answers. */
function exitCodeAfter(
  { rows, failedSearches }: Counts,
  expectations: ResolvedJob['expect'],
  isHeld: boolean,
  exported: RunExport,
  foundNone: boolean,
) {
  if (isHeld) return 4;
  if (exported.unreached) return exitCodeOf(exported.unreached);
  const isExpected = expectations.some(({ name }) => name === 'failed');
  const failedRows = isExpected ? 0 : rows.failed + rows.stale;
  return foundNone || failedRows + failedSearches + exported.damagedAnswers > 0 ? 3 : 0;
}

/** A smaller list is done before a thread has started. */
const leastBytes = 64 * 1_024;

/**
 * A thread for a run over a list, where it helps. A pipe may bring any amount, and a list that cannot be reached is
 * that of a run which is resumed.
 */
async function openThreadForList(path: string): Promise<Thread | undefined> {
  const facts = await stat(path).catch(() => undefined);
  const isSmall = facts?.isFile() && facts.size < leastBytes;
  return isSmall || availableParallelism() === 1 ? undefined : openThread();
}

/**
 * Stops after which a run writes what it has: what was paid for is of use, and rows that are open say so.
 * After a signal nobody waits for files. A job or an address that is wrong (78) has brought nothing that
 * its owner wants, and a disk or ledger in trouble cannot be written from.
 */
const worthFiles: readonly ErrorCode[] = [
  'SERVICE_DOWN',
  'BUDGET_SPENT',
  'QUOTA_SPENT',
  'THROTTLED_TOO_LONG',
  'KEY_REFUSED',
  'SHARE_DOWN',
  'SHARE_REFUSED',
];

/** Writes the files of a run that is stopped, and gives the error that says so and where they are. */
async function writeStopped(
  error: unknown,
  write: (stopped: DossierError) => Promise<RunExport>,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof DossierError) || !worthFiles.includes(error.code)) return error;
  try {
    const { folder, rows, unreached } = await write(error);
    const { total, open, stale } = rows;
    const older =
      stale > 0 ? ` and ${number(stale)} older ${stale === 1 ? 'answer' : 'answers'}` : '';
    const done = `${number(total - open - stale)} of ${number(total)} rows done${older}`;
    const missing = unreached ? `. But ${unreached.message}` : '';
    const told =
      folder === null
        ? `The ledger has ${done}`
        : `The files with ${done} are in ${fromHere(folder)}`;
    return withSentence(error, told + missing);
  } catch (trouble) {
    if (signal.aborted) return signal.reason;
    const why = trouble instanceof Error ? trouble.message : String(trouble);
    return withSentence(error, `The files with what there is could not be written: ${why}`);
  }
}

/** An address is the same from everywhere. */
function fromHere(folder: string) {
  return folder.includes('://') ? folder : relative(process.cwd(), folder) || '.';
}

function number(count: number) {
  return count.toLocaleString('en');
}

/** One company to ask for: as it was written, and cleaned, best first. */
export interface LookUpQuestion {
  readonly text: string;
  readonly candidates: readonly RowCandidate[];
  readonly country: Country;
}

/**
 * Looks one company up as a run of a single row, without files. So what the ledger knows is not paid for again,
 * and nothing that was paid for is lost.
 */
export async function lookUp(
  job: ResolvedJob,
  { text, candidates, country }: LookUpQuestion,
  parts: Omit<RunParts, 'version'>,
) {
  const { clock, signal, observer } = parts;
  const { leftOut } = await readLeftOut(job, signal);
  if (isSuppressed(job, leftOut, candidates)) {
    const at = clock.wallMs();
    const noAnswer = { askedBy: null, identifier: null, match: null, fetchedAt: null };
    const row = {
      ...suppressedEnd,
      ...noAnswer,
      country,
      company: undefined,
      peopleComplete: null,
    };
    return { row, people: undefined, counts: noCounts(), startedAt: at, endedAt: at };
  }
  const columns = ['identifier'];
  const inputSha256 = hash('sha256', text);
  const look = async (runs: JobRuns) => {
    const budget = openRequestBudget(job);
    for (;;) {
      const startedAt = clock.wallMs();
      const given = { name: 'command line', columns };
      const { run, ...opened } = await beginRun(
        runs,
        job,
        startedAt,
        null,
        given,
        async (begun, queue) => {
          const row = { number: 1, key: text, cells: [text], country, candidates };
          const counts = await queue.add([row]);
          const list = { columns, keyColumns: null, inputSha256 };
          return { run: await runs.completeList(begun, list), queue, counts };
        },
      );
      const isProven = runs.ledger.calls.isProven(job.service.url);
      const counts = await resolveCalls(opened, job, { ...parts, isProven, budget });
      const endedAt = clock.wallMs();
      await runs.finish(run, endedAt);
      const damaged: number[] = [];
      const records = runs.ledger.records.of(run, (answerId) => damaged.push(answerId));
      const [record] = records.rows();
      const [people] = run.hasPeople ? records.people() : [];
      if (!record) throw new Error(`the lookup ${run.id} has lost its row`);
      if (damaged.length === 0) return { row: record, people, counts, startedAt, endedAt };
      // A damaged answer is forgotten and asked for again, which leaves fewer each time.
      for (const answerId of damaged) runs.ledger.calls.discardAnswer(answerId);
    }
  };
  const { onHeld } = observer;
  return await withJob(queueTerms(job, parts.account, leftOut), look, { signal, onHeld }, true);
}

/** A ledger that has forgotten an identifier does not store it again. */
function isSuppressed(
  { ledger }: ResolvedJob,
  { suppressed }: LeftOut,
  candidates: readonly RowCandidate[],
): boolean {
  using past = openLedgerToRead(ledger);
  const suppression = openSuppression([...suppressed, ...(past?.forgotten.sets() ?? [])]);
  return candidates.some(([kind, value]) => suppression.has({ kind, value }));
}
