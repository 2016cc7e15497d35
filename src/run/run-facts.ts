import { isJobLocked, isLookupSlot } from '../ledger/file/locks.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { overtakerOf, type Run, runName } from '../ledger/runs/runs.ts';
import type { Start } from '../ledger/runs/starts.ts';
import { answeredCalls, type Counts, totalRows } from '../rules/outcomes.ts';
import { totalSpend } from '../rules/total-spend.ts';
import { moneyJson } from '../runtime/budget/money.ts';
import { withoutSecrets } from '../runtime/log/known-secrets.ts';
import { sampleData } from '../runtime/sample-data.ts';
import type { Destination, RunFacts, RunState } from '../sinks/manifest.ts';
import type { RunExport, WrittenPlace } from './write-outputs.ts';

/** What a run stands for beside its own row of the ledger. */
export interface KnownOfRun {
  readonly counts: Counts;
  readonly spend: ReturnType<typeof totalSpend>;
  /** Calls without an answer that may have been charged. */
  readonly possiblyCharged?: readonly string[];
  /** Its last start; undefined where the ledger has forgotten it. */
  readonly start?:
    | Pick<Start, 'endedAt' | 'exitCode' | 'reason' | 'startedBy' | 'host'>
    | undefined;
  /** A process works on it. */
  readonly isRunning: boolean;
  /** A later run has finished, so it cannot be accepted any more. */
  readonly isOvertaken?: boolean;
  /** Its incomplete files were written. */
  readonly isWritten?: boolean;
  readonly nowMs: number;
}

/** The one derivation of a run's state. */
function stateOf(
  { state, held }: Pick<Run, 'state' | 'held'>,
  { start, isRunning, isOvertaken, isWritten }: Omit<KnownOfRun, 'counts' | 'spend' | 'nowMs'>,
): RunState {
  if (state === 'superseded') return state;
  if (state === 'finished') {
    if (held) return isOvertaken ? 'superseded' : 'held';
    return isUndelivered(start?.reason) ? 'undelivered' : state;
  }
  if (isRunning) return 'running';
  if (start?.endedAt === null) return 'killed';
  return isWritten ? 'incomplete' : 'stopped';
}

/** Whether a start ended because a destination could not be written. */
function isUndelivered(reason: string | null | undefined): boolean {
  return /^(?:OUTPUT|WAREHOUSE)_/.test(reason ?? '');
}

/** The facts of a run from what is known of it, in a ledger or in the process that runs it. */
export function runFacts(run: Run, known: KnownOfRun): RunFacts {
  const { counts, spend, start, possiblyCharged = [] } = known;
  const { called: _, ...calls } = counts.calls;
  const state = stateOf(run, known);
  const endedAtMs = state === 'running' ? known.nowMs : run.finishedAt;
  return {
    job: run.job,
    run: runName(run),
    list: run.inputName,
    limit: run.rowLimit,
    sampleData: run.service === sampleData,
    state,
    complete: run.finishedAt !== null,
    startedAt: iso(run.startedAt),
    endedAt: isoOrNull(run.finishedAt),
    // The clock of the machine may have been set back since the run started.
    seconds: endedAtMs === null ? null : Math.max(0, endedAtMs - run.startedAt) / 1_000,
    exitCode: start?.exitCode ?? null,
    reason: start?.reason ?? null,
    startedBy: start?.startedBy ?? null,
    host: start?.host ?? null,
    rows: { total: totalRows(counts), ...counts.rows, stale: counts.stale },
    calls: { made: answeredCalls(counts.calls), ...calls },
    people: counts.people,
    failedSearches: counts.failedSearches,
    incompleteSearches: counts.incompleteSearches,
    requests: spend.requests,
    money: spend.money.map(moneyJson),
    possiblyCharged: [...possiblyCharged],
    held: run.held && [...run.held],
    acceptedAt: isoOrNull(run.acceptedAt),
    corrections: run.corrections?.applied ?? 0,
    changes: null,
    folder: null,
    files: null,
    unchanged: null,
    destinations: null,
    prunedAt: isoOrNull(run.prunedAt),
  };
}

/** The facts of a run whose result was written: rows and people as in its files. */
export function withExport(facts: RunFacts, exported: RunExport): RunFacts {
  const { rows: total, changes, people, ...rows } = exported.counts;
  const { changesSince: since, folder, files, unchanged, places } = exported;
  return {
    ...facts,
    rows: { total, ...rows },
    people,
    changes: { since, ...changes },
    folder,
    files: [...files],
    unchanged: [...unchanged],
    destinations: places.map(destinationOf),
  };
}

/** What became of a result at a destination. */
export function destinationOf(place: WrittenPlace): Destination {
  const { kind, address, summary, failed, leftOut = null } = place;
  return {
    kind,
    address,
    files: [...(summary?.files ?? [])],
    unchanged: [...(summary?.unchanged ?? [])],
    failed: failed ? withoutSecrets(failed.message) : null,
    leftOut,
  };
}

/** The facts of the newest runs of a job, as its ledger has them, newest first. */
export function readJobFacts(ledger: Ledger, path: string, job: string, most: number) {
  const wasLocked = isJobLocked(path, job);
  const found = ledger.runs.list(job);
  const starts = ledger.starts.list(job, Number.MAX_SAFE_INTEGER);
  // The lock is read before and after the runs: a run that starts or ends in between is running.
  const isRunning = wasLocked || isJobLocked(path, job);
  // A run that died while it read its list has no counts, and the next run removes it.
  const runs = found.filter(
    ({ state }, index) => state !== 'ingesting' || (isRunning && index === 0),
  );
  const facts = runs.slice(0, most).map((run, index) => {
    const isUnderWay = isRunning && index === 0;
    const counts = ledger.counts(run.id);
    const isOpen = run.state === 'open' && !isUnderWay;
    const written = isOpen ? ledger.progress.written(run.id) : undefined;
    return runFacts(run, {
      counts: { ...counts, ...written },
      spend: totalSpend(ledger.spend.ofRun(run.id)),
      possiblyCharged: possiblyChargedOf(ledger, run, isUnderWay && run.state !== 'finished'),
      start: starts.find(({ runId }) => runId === run.id),
      isRunning: isUnderWay,
      isOvertaken: overtakerOf(run, runs) !== undefined,
      isWritten: written !== undefined,
      nowMs: Date.now(),
    });
  });
  return { runs, facts, starts, isRunning };
}

/** The names of all jobs that have run, sorted. */
export function jobNames({ runs }: Ledger): string[] {
  const names = runs.list().map(({ job }) => job);
  return [...new Set(names)].filter((job) => !isLookupSlot(job)).sort();
}

/** Unanswered leases of a live process are in flight; those of a dead process may have been charged. */
export function possiblyChargedOf({ calls }: Ledger, run: Run, isAlive: boolean): string[] {
  const marked = calls.doubtful(run.id);
  return isAlive ? marked : [...marked, ...calls.unanswered(run.id)];
}

function isoOrNull(wallMs: number | null): string | null {
  return wallMs === null ? null : iso(wallMs);
}

function iso(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
