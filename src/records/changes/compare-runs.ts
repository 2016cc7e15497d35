import type { ReferenceNames } from '../../contract/reference.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { isPublished, type Run, runName } from '../../ledger/runs/runs.ts';
import type { RecordedChange } from '../columns/change-columns.ts';
import { findChanges } from './find-changes.ts';

/** The run that a complete run of the whole list is compared with: the last published one before it. */
export function findBase({ runs }: Pick<Ledger, 'runs'>, run: Run): Run | undefined {
  if (run.rowLimit !== null) return undefined;
  return runs.list(run.job).find((earlier) => earlier.id < run.id && isPublished(earlier));
}

/** What differs between two runs of a job, as records of changes.*. */
export function* compareRuns(
  { records }: Pick<Ledger, 'records'>,
  { base, run }: { readonly base: Run; readonly run: Run },
  how: { readonly include: readonly string[]; readonly names: ReferenceNames },
): Generator<RecordedChange> {
  const changes = findChanges({
    ...how,
    rows: records.changed(base, run),
    people: base.hasPeople && run.hasPeople ? records.changedPeople(base, run) : [],
    headersBefore: base.columns,
    headersAfter: run.columns,
  });
  const runs = { sinceRun: runName(base), run: runName(run) };
  for (const change of changes) yield { ...change, ...runs };
}
