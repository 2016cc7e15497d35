import type { ReferenceNames } from '../../contract/reference.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { isPublished, type Run, runName } from '../../ledger/runs/runs.ts';
import type { RecordedChange } from '../columns/change-columns.ts';
import { findChanges } from './find-changes.ts';
import {
  type UnchangedPeople,
  type UnchangedRow,
  unchangedPeople,
  unchangedRows,
} from './unchanged-records.ts';

/** The run that a complete run of the whole list is compared with: the last published one before it. */
export function findBase(ledger: Pick<Ledger, 'runs'>, run: Run): Run | undefined {
  return run.rowLimit === null ? lastPublished(ledger, run) : undefined;
}

/** The last published run of the job before this one. */
function lastPublished({ runs }: Pick<Ledger, 'runs'>, run: Run): Run | undefined {
  return runs.list(run.job).find((earlier) => earlier.id < run.id && isPublished(earlier));
}

/** What differs between two runs of a job, as records of changes.*. */
export function* compareRuns(
  { records }: Pick<Ledger, 'records'>,
  { base, run }: { readonly base: Run; readonly run: Run },
  how: { readonly include: readonly string[]; readonly names: ReferenceNames },
): Generator<RecordedChange> {
  // A damaged answer reads as a row that failed, which is no change.
  const changed = records.changed(base, run, () => {});
  const changes = findChanges({
    ...how,
    rows: changed.rows(),
    people: base.hasPeople && run.hasPeople ? changed.people() : [],
    headersBefore: base.columns,
    headersAfter: run.columns,
  });
  const runs = { sinceRun: runName(base), run: runName(run) };
  for (const change of changes) yield { ...change, ...runs };
}

/** What a run has found as it was, with the runs in which the records became so. */
export function unchangedIn(
  ledger: Pick<Ledger, 'runs' | 'records'>,
  run: Run,
  names: ReferenceNames,
): { readonly rows: Iterable<UnchangedRow>; readonly people: Iterable<UnchangedPeople> } {
  const base = lastPublished(ledger, run);
  if (!base) return { rows: [], people: [] };
  const changed = ledger.records.changed(base, run, () => {});
  return {
    rows: unchangedRows(changed.rows(), base.columns, run.columns),
    people: run.hasPeople ? unchangedPeople(changed.people(), run.id, names) : [],
  };
}
