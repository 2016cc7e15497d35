import { existsSync } from 'node:fs';
import { exits } from '../../core/errors/exit-codes.ts';
import { DossierError, exitCodeOf } from '../../core/errors.ts';
import { withLedgerErrorsAsync } from '../../engine/ledger/file/ledger-path.ts';
import { lockWaitMs, tryLockJob } from '../../engine/ledger/file/locks.ts';
import { type Ledger, openLedger } from '../../engine/ledger/open-ledger.ts';
import { type Run, runName } from '../../engine/ledger/runs/runs.ts';
import { chooseRun } from '../../engine/runs/choose-run.ts';
import { acceptHeld } from '../../engine/runs/settle-result.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { readExclusions } from '../../lists/read-suppressed.ts';
import { systemClock } from '../../platform/clock.ts';
import { holdMemory } from '../../platform/memory.ts';
import { isBasePruned } from '../../results/compare-runs.ts';
import type { Destination } from '../../results/destinations/destination.ts';
import { isAside } from '../../results/destinations/places.ts';
import { createDestinations, requireDestinations } from './destinations.ts';
import { type ExportParts, exportRun, findRun } from './export-run.ts';

export interface ExportOptions extends Pick<ExportParts, 'version' | 'createReport' | 'signal'> {
  readonly runId: number | undefined;
  readonly accept?: boolean;
  /** Those of the job, ignoring `--output`: an export to them may conflict with a run. */
  readonly own: readonly Destination[];
}

export async function exportJob(job: ResolvedJob, options: ExportOptions) {
  holdMemory();
  await requireDestinations(job);
  const { exclusions } = await readExclusions(job, options.signal);
  return await withLedgerErrorsAsync(job.ledger, async () => {
    if (!existsSync(job.ledger)) {
      const message = `${job.name} has not run yet: there is no ledger at ${job.ledger}`;
      throw new DossierError('RUN_MISSING', message);
    }
    using lock = tryLockJob(job.ledger, job.name, lockWaitMs);
    using ledger = openLedger(job.ledger);
    const run = chooseRun(ledger, job, options);
    if (!lock) refuseBusy(ledger, job, run, options);
    const { accept = false } = options;
    const held = accept ? null : run.held;
    const exportedRun = { ...run, held };
    const records = ledger.records(exclusions);
    const ifLater = options.runId === undefined ? 'refuse' : 'replace';
    const namesOf = (all: readonly Destination[]) => all.map(({ name }) => name).join('\n');
    const isDelivery = namesOf(createDestinations(job)) === namesOf(options.own);
    const parts = { ...options, records, held, ifLater, isDelivery } as const;
    const exported = await exportRun(ledger, job, run.id, parts);
    const { folder, unreached, damagedAnswers } = exported;
    if (accept) {
      // Recorded after the files are written: if killed in between, the run can be accepted again.
      ledger.inTransaction(() => {
        ledger.runs.publish({ runId: run.id, acceptedAt: systemClock.wallMs() });
        acceptHeld(ledger, run);
      });
    }
    const replaced = exported.destinations.find(({ summary }) => summary?.replaced)?.summary;
    const newest = ledger.runs.newestFinished(job.name);
    const later = newest && newest.id > run.id ? newest : undefined;
    return {
      run: exportedRun,
      accepted: accept ? run.held : null,
      overtakenBy: held ? later : undefined,
      replaced: replaced?.replaced && {
        run: replaced.replaced.run,
        folder: replaced.folder,
        isOurs: findRun(ledger, job.name, replaced.replaced) !== undefined,
      },
      isAside: folder !== null && isAside(folder),
      waiting: later?.held ? later : undefined,
      isBasePruned: run.state === 'finished' && isBasePruned(ledger, run),
      openCalls: ledger.progress.counts(run.id).calls.open,
      exported,
      exitCode: unreached
        ? exitCodeOf(unreached)
        : damagedAnswers.size > 0
          ? exits.rowsFailed
          : exits.finished,
    };
  });
}

export type JobExport = Awaited<ReturnType<typeof exportJob>>;

/** Refuses an export to where a run will write, because their files could get mixed. */
function refuseBusy(ledger: Ledger, job: ResolvedJob, run: Run, options: ExportOptions) {
  const busy = `a run of ${job.name} is in progress`;
  if (options.accept) {
    const message = `${busy}; ${runName(run)} can be accepted when that run has ended`;
    throw new DossierError('JOB_BUSY', message);
  }
  const underWay = ledger.runs.list(job.name)[0] ?? run;
  const runPlaces = options.own.map((destination) => destination.address(underWay));
  const written = createDestinations(job).map((destination) => destination.address(run));
  const place = written.find((address) => runPlaces.includes(address));
  if (place === undefined) return;
  throw new DossierError(
    'JOB_BUSY',
    `${busy} and will write ${place} itself; use --output with another folder to see partial results`,
  );
}
