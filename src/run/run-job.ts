import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { DossierError } from '../core/errors.ts';
import { type Counts, totalRows } from '../core/rules/outcomes.ts';
import { type Run, runName } from '../engine/ledger/runs/runs.ts';
import { serviceIdentity } from '../engine/providers/providers.ts';
import { foundNoneAtFirst } from '../engine/queue/misses/stored-misses.ts';
import type { RunQueue } from '../engine/queue/run-queue.ts';
import { type JobRuns, withJob } from '../engine/runs/job-runs.ts';
import { type ResolvedJob, reuseAt } from '../job/resolved-job.ts';
import { readExclusions } from '../lists/read-suppressed.ts';
import { holdMemory } from '../platform/memory.ts';
import { openThread, type Thread } from '../platform/thread/thread.ts';
import { completeOpenCalls } from './calls/complete-open-calls.ts';
import { createStartBudget } from './calls/start-budget.ts';
import { findReplaced, requireDestinations } from './export/destinations.ts';
import { type ExportParts, exportRun } from './export/export-run.ts';
import { realPath } from './jobs/find-ledger.ts';
import { type OpenedRun, openRun } from './open-run.ts';
import { priceRun } from './price-run.ts';
import { exitCodeAfter, mustReadAgain, writeStopped } from './run-end.ts';
import type { HeldList, RunParts } from './run-parts.ts';
import { queueTerms } from './terms-of-job.ts';

export async function runJob(job: ResolvedJob, parts: RunParts) {
  holdMemory();
  await requireDestinations(job);
  const { exclusions, notes } = await readExclusions(job, parts.signal);
  await using thread = await openThreadForList(job.input.path);
  const { signal, version, clock, startedBy = 'script', accounts, isFix } = parts;
  const { acceptsClock } = parts;
  const { onBusy } = parts.observer;
  const start = { version, startedBy, clock, acceptsClock };
  const work = (runs: JobRuns) => runWith(runs, job, parts, notes, thread);
  return await withJob(queueTerms(job, accounts, exclusions, isFix), work, {
    thread,
    signal,
    start,
    onBusy,
  });
}

const unfinishedForget =
  'A `dossier forget` did not finish, and the ledger still has the identifiers given to it. Run the same forget again.';

async function runWith(
  runs: JobRuns,
  job: ResolvedJob,
  parts: RunParts,
  suppressionNotes: readonly string[],
  thread: Thread | undefined,
) {
  const { observer } = parts;
  observer.onTaken?.();
  if (job.file !== undefined) await runs.putJobFile(realPath(job.file));
  const delivered = await deliverMissing(runs, job, parts);
  const opened = await openPriced(runs, job, parts);
  const { run, isResumed } = opened;
  const unfinished = runs.ledger.forgotten.isUnfinished() ? [unfinishedForget] : [];
  const notes = [
    ...delivered,
    ...runs.adapterNotes,
    ...suppressionNotes,
    ...unfinished,
    ...opened.notes,
  ];
  const replaces = await findReplaced(job, run, totalRows(opened.counts));
  const spentBefore = runs.ledger.spend.ofRun(run.id);
  observer.onStart(run, isResumed, opened.counts, { notes, replaces, spentBefore });
  const countsAfterCalls = await callServices(runs, opened, job, parts);

  // End the thread first, because writing the results needs the memory that the thread occupies.
  await thread?.[Symbol.asyncDispose]();
  const published = await publish(runs, run, job, parts, countsAfterCalls);
  await prune(runs, job, parts, published.endedAt);
  return { run, isResumed, ...published };
}

/** Reads the list, and shows its price before anything is paid. */
async function openPriced(runs: JobRuns, job: ResolvedJob, parts: RunParts) {
  const { clock, signal, onPriced, acceptsList = () => false } = parts;
  const { onIngest, onReceive } = parts.observer;
  const onListHeld = async (held: HeldList) => {
    if (!(await acceptsList(held))) throw listHeld(held);
  };
  const onQueued =
    onPriced &&
    (async (run: Run, queue: RunQueue, notes: readonly string[]) => {
      const price = await priceRun(runs, job, run, queue, parts);
      const replaces = await findReplaced(job, run, totalRows(await queue.counts()));
      await onPriced(price, notes, replaces);
    });
  const reading = { clock, signal, onIngest, onReceive, onListHeld, onQueued };
  return await openRun(runs, job, reading).catch(async (error: unknown) => {
    if (mustReadAgain(error)) await runs.dropRead();
    throw error;
  });
}

/** Makes the open calls. What is already paid for is written even if they stop early. */
async function callServices(runs: JobRuns, opened: OpenedRun, job: ResolvedJob, parts: RunParts) {
  const { run, counts } = opened;
  const { budget = createStartBudget(job) } = parts;
  const hasEverFound = job.services.map((service) =>
    runs.ledger.calls.hasEverFound(serviceIdentity(service)),
  );
  // Rows may also wait for the next service.
  const hasCalls = counts.calls.open + counts.rows.open > 0;
  const deadStarts = hasCalls ? await runs.beginCalling(run, counts) : 0;
  const calling = completeOpenCalls(opened, job, { ...parts, hasEverFound, budget }, deadStarts);
  return await calling.catch(async (error: unknown) => {
    const writeSoFar = ({ message }: Error) =>
      writeResult(runs, run, job, parts, { stopped: message });
    throw await writeStopped(error, writeSoFar, parts.signal);
  });
}

async function writeResult(
  { ledger, records }: JobRuns,
  run: Run,
  job: ResolvedJob,
  parts: RunParts,
  ended: Partial<ExportParts>,
) {
  parts.observer.onExport();
  const isDelivery = !job.isElsewhere;
  const exported = await exportRun(ledger, job, run.id, {
    ...parts,
    ...ended,
    records,
    isDelivery,
  });
  parts.observer.onWritten?.(exported);
  return exported;
}

/** Checks the result, writes it, and only then marks the run as finished: a run that dies earlier is checked and written again. */
async function publish(
  runs: JobRuns,
  run: Run,
  job: ResolvedJob,
  parts: RunParts,
  countsAfterCalls: Counts,
) {
  const { clock, observer } = parts;
  const endedAt = clock.wallMs();
  const { held, counts } = await runs.settleResult(run, job.expect, countsAfterCalls);
  if (counts !== countsAfterCalls) observer.onProgress(counts);
  observer.onChecked?.(held);
  const ended = { endedAt, held, skipsSame: held === null };
  const exported = await writeResult(runs, run, job, parts, ended);
  const foundNone = foundNoneAtFirst(runs.ledger, run, counts);
  const exitCode = exitCodeAfter(counts, job.expect, held !== null, exported, foundNone);
  await runs.finish(run, endedAt, exitCode, held, exported.unreached?.code);
  return { counts, endedAt, held, exported, exitCode };
}

async function prune(runs: JobRuns, job: ResolvedJob, { observer }: RunParts, endedAt: number) {
  const { keepRuns } = job.ledgerCare;
  const useMs = Math.max(
    ...job.services.flatMap((service) => {
      const { companiesMs, missesMs, peopleMs, staleOnFailureMs } = reuseAt(service, job);
      return [companiesMs, missesMs, peopleMs, staleOnFailureMs];
    }),
  );
  const pruned = await runs.prune({ keepRuns, useMs }, endedAt);
  if (pruned.runs > 0) observer.onPrune?.(pruned);
}

export function listHeld({ why }: HeldList, remedy?: string): DossierError {
  const message = `the list is not what was expected, so no call was made: ${why}`;
  return new DossierError('LIST_HELD', message, { remedy });
}

/** Sends the last result to destinations that missed it. */
async function deliverMissing({ ledger, records }: JobRuns, job: ResolvedJob, parts: RunParts) {
  const run = ledger.runs.newestPublished(job.name);
  if (!run || job.isElsewhere || !ledger.deliveries.lacks(run)) return [];
  const again = { ...parts, records, skipsSame: true, isDelivery: true };
  const { unreached, destinations } = await exportRun(ledger, job, run.id, again);
  // Not an error: the destination gets the missing changes with the result of this new run.
  if (unreached) return [`${runName(run)} is still undelivered: ${unreached.message}`];
  const pruned = new Set(destinations.flatMap(({ summary }) => summary?.changes.missing ?? []));
  const gap = pruned.size > 0 ? ` Changes lost with pruned runs: ${[...pruned].join(', ')}.` : '';
  return [
    `The result of ${runName(run)} was undelivered. Now it is at every destination, without a call.${gap}`,
  ];
}

/** Reading a smaller list takes less time than starting a thread. */
const leastBytes = 64 * 1_024;

/** A pipe or a list that is gone has an unknown size, so it gets a thread. */
async function openThreadForList(path: string) {
  const facts = await stat(path).catch(() => undefined);
  const isSmall = facts?.isFile() && facts.size < leastBytes;
  return isSmall || availableParallelism() === 1 ? undefined : openThread();
}
