import { type Counts, totalRows } from '../core/rules/outcomes.ts';
import { counted } from '../core/values/format.ts';
import { withoutSecrets } from '../core/values/known-secrets.ts';
import { formatSpent, type Spent, totalSpend } from '../core/values/money.ts';
import { isJobLocked } from '../engine/ledger/file/locks.ts';
import type { Ledger } from '../engine/ledger/open-ledger.ts';
import {
  isFinishedWhole,
  isPublished,
  preferWhole,
  type Run,
  runName,
} from '../engine/ledger/runs/runs.ts';
import type { Start } from '../engine/ledger/runs/starts.ts';
import type { DestinationKind } from '../job/schema/output-fields.ts';
import type { DestinationState } from '../results/manifest.ts';
import type { RunExport } from './export/export-run.ts';
import type { RunDestination, RunFacts, RunState } from './run-schemas.ts';

interface KnownOfRun {
  readonly counts: Counts;
  readonly spend: readonly Spent[];
  readonly possiblyCharged?: readonly string[];
  /** The last start; undefined if the ledger does not have it any more. */
  readonly start?:
    | Pick<Start, 'endedAt' | 'exitCode' | 'reason' | 'startedBy' | 'host'>
    | undefined;
  readonly isRunning: boolean;
  /** A later run has finished, so a held result cannot be accepted any more. */
  readonly isOvertaken?: boolean;
  readonly isWritten?: boolean;
  readonly isUndelivered?: boolean;
  readonly warnings?: RunFacts['warnings'];
}

function stateOf(
  { state, held }: Run,
  { start, isRunning, isOvertaken, isWritten, isUndelivered }: KnownOfRun,
): RunState {
  if (state === 'superseded') return state;
  if (state === 'finished') {
    if (held) return isOvertaken ? 'superseded' : 'held';
    return isUndelivered ? 'undelivered' : state;
  }
  if (isRunning) return 'running';
  if (start?.endedAt === null) return 'killed';
  return isWritten ? 'incomplete' : 'stopped';
}

export function runFacts(run: Run, known: KnownOfRun): RunFacts {
  const { counts, spend, start, possiblyCharged = [], warnings = null } = known;
  const { shared, reused, joined } = counts.calls;
  const state = stateOf(run, known);
  // `finishedAt` is the time before the results are written.
  const writtenAt = run.finishedAt && (start?.endedAt ?? run.finishedAt);
  const endedAtMs = state === 'running' ? Date.now() : writtenAt;
  return {
    job: run.job,
    run: runName(run),
    list: run.inputName,
    limit: run.rowLimit,
    sampleData: run.isSample,
    state,
    complete: run.finishedAt !== null,
    startedAt: iso(run.startedAt),
    endedAt: isoOrNull(run.finishedAt),
    // The machine's clock may have been set back.
    seconds: endedAtMs === null ? null : Math.max(0, endedAtMs - run.startedAt) / 1_000,
    exitCode: start?.exitCode ?? null,
    reason: start?.reason ?? null,
    startedBy: start?.startedBy ?? null,
    host: start?.host ?? null,
    rows: { total: totalRows(counts), ...counts.rows },
    calls: { ...counts.calls, saved: shared + reused + joined },
    ...servicesFacts(counts, spend),
    people: counts.people,
    failedSearches: counts.failedSearches,
    incompleteSearches: counts.incompleteSearches,
    ...totalSpend(spend),
    possiblyCharged: [...possiblyCharged],
    held: run.held && [...run.held],
    acceptedAt: isoOrNull(run.acceptedAt),
    corrections: run.corrections?.applied ?? 0,
    changes: null,
    warnings,
    folder: null,
    files: null,
    unchanged: null,
    destinations: null,
    prunedAt: isoOrNull(run.prunedAt),
  };
}

/** What each service did since `before`, and what that cost. */
export function servicesFacts(
  { services }: Counts,
  spend: readonly Spent[],
  before: Counts['services'] = {},
): Pick<RunFacts, 'services'> {
  if (Object.keys(services).length < 2) return {};
  const facts = Object.entries(services).map(([name, calls]) => {
    const { made = 0, hits = 0, misses = 0, failed = 0, reused = 0 } = before[name] ?? {};
    const own = spend.filter(({ service }) => service === name);
    const { money, missMoney } = totalSpend(own);
    return [
      name,
      {
        made: calls.made - made,
        hits: calls.hits - hits,
        misses: calls.misses - misses,
        failed: calls.failed - failed,
        reused: calls.reused - reused,
        money,
        missMoney,
      },
    ] as const;
  });
  return { services: Object.fromEntries(facts) };
}

export function exportFacts(exported: RunExport) {
  const { rows, people, changes, warnings, folder, files, unchanged, destinations } = exported;
  return {
    rows,
    people,
    changes,
    warnings,
    folder,
    files,
    unchanged: [...unchanged],
    destinations: destinations.map(
      ({ kind, address, summary, failed, leftOut = null, lastRun, behind }): RunDestination => ({
        kind,
        address,
        lastRun,
        behind,
        reason: failed?.code ?? null,
        files: [...(summary?.files ?? [])],
        unchanged: [...(summary?.unchanged ?? [])],
        failed: failed ? withoutSecrets(failed.message) : null,
        leftOut,
        missing: [...(summary?.changes.missing ?? [])],
      }),
    ),
  };
}

/** What each destination has. `current` counts as published, although it may not be finished yet. */
export function readDeliveries(ledger: Ledger, job: string, current?: Run): DestinationState[] {
  const deliveries = ledger.deliveries.list(job);
  if (deliveries.length === 0) return [];
  const published = ledger.runs.list(job).filter(isPublished);
  const ids = new Set([...published, ...(current ? [current] : [])].map(({ id }) => id));
  return deliveries.map(({ kind, destination, runId, reason, message }) => ({
    kind: kind as DestinationKind,
    address: destination,
    lastRun: runId === null ? null : runName({ id: runId }),
    behind: [...ids].filter((id) => id > (runId ?? 0)).length,
    reason,
    failed: reason === null ? null : message,
    leftOut: reason === null ? message : null,
  }));
}

/** Empty for a destination that has the last published run. */
export function lagText({ lastRun, behind }: Pick<DestinationState, 'lastRun' | 'behind'>): string {
  return behind === 0 ? '' : `${lastRun ?? 'no run yet'}, ${counted(behind, 'run')} behind`;
}

export function readJobFacts(ledger: Ledger, path: string, job: string, most: number) {
  const wasLocked = isJobLocked(path, job);
  const storedRuns = ledger.runs.list(job);
  const starts = ledger.starts.list(job);
  // Check the lock twice: a run that starts or ends in between counts as running.
  const isRunning = wasLocked || isJobLocked(path, job);
  // A run that died while reading its list has no counts.
  const [newest] = isRunning ? storedRuns : [];
  const known = storedRuns.filter((run) => run.state !== 'ingesting' || run === newest);
  // A later trial must not hide the full result.
  const first = newest ?? preferWhole(known);
  const runs = first ? [first, ...known.filter((run) => run !== first)] : known;
  const lastFinishedId = known.find(isFinishedWhole)?.id ?? 0;
  const facts = runs.slice(0, most).map((run) => {
    const start = starts.find(({ runId }) => runId === run.id);
    const isOvertaken = run.id < lastFinishedId;
    return readRunFacts(ledger, run, { start, isRunning: run === newest, isOvertaken });
  });
  return { runs, facts, starts, isRunning };
}

/** Must stay fast, so it never reads all rows. */
export function readRunFacts(
  ledger: Ledger,
  run: Run,
  known: Pick<KnownOfRun, 'start' | 'isRunning' | 'isOvertaken'>,
): RunFacts {
  const { isRunning } = known;
  const written = isRunning ? undefined : ledger.progress.written(run.id);
  return runFacts(run, {
    ...known,
    counts: { ...ledger.progress.counts(run.id), ...written },
    spend: ledger.spend.ofRun(run.id),
    possiblyCharged: possiblyChargedOf(ledger, run, isRunning && run.state !== 'finished'),
    isWritten: written !== undefined,
    isUndelivered: ledger.deliveries.lacks(run),
    warnings: written?.warnings ?? null,
  });
}

/** If the process died, calls that it had leased may have been charged too. */
export function possiblyChargedOf({ calls }: Ledger, run: Run, isAlive: boolean): string[] {
  const marked = calls.possiblyCharged(run.id);
  return isAlive ? marked : [...marked, ...calls.unanswered(run.id)];
}

export function isoOrNull(wallMs: number | null): string | null {
  return wallMs === null ? null : iso(wallMs);
}

export function iso(wallMs: number): string {
  return new Date(wallMs).toISOString();
}

/** By all runs of a list, trial runs included. */
export function spentBy({ spend }: Ledger, runs: readonly Run[]) {
  const real = runs.filter(({ isSample }) => !isSample);
  return formatSpent(totalSpend(real.flatMap(({ id }) => spend.ofRun(id))));
}
