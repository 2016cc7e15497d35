import type { ReferenceNames } from '../../contract/reference.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { HowToLook } from '../../ledger/run-records.ts';
import { type Run, runName } from '../../ledger/runs/runs.ts';
import type { RecordedChange } from '../columns/change-columns.ts';
import { findChanges } from './find-changes.ts';
import {
  type UnchangedPeople,
  type UnchangedRow,
  unchangedPeople,
  unchangedRows,
} from './unchanged-records.ts';

/** The published run whose records a run is held against; undefined where it is pruned. */
export function findEarlier({ runs }: Pick<Ledger, 'runs'>, run: Run): Run | undefined {
  const [earlier] = runs.comparable(run);
  return earlier?.prunedAt === null ? earlier : undefined;
}

/** The same, of a run whose changes are told: a try of the first rows has none. */
export function findBase(ledger: Pick<Ledger, 'runs'>, run: Run): Run | undefined {
  return run.rowLimit === null ? findEarlier(ledger, run) : undefined;
}

/** Whether a run has none to be compared with only because that one was pruned. */
export function isBasePruned({ runs }: Pick<Ledger, 'runs'>, run: Run): boolean {
  const [base] = run.rowLimit === null ? runs.comparable(run) : [];
  return base !== undefined && base.prunedAt !== null;
}

/** What differs between two runs of a job, as records of changes.*. */
export function* compareRuns(
  ledger: Pick<Ledger, 'records' | 'searches'>,
  { base, run }: { readonly base: Run; readonly run: Run },
  how: { readonly include: readonly string[]; readonly names: ReferenceNames },
): Generator<RecordedChange> {
  // A failure says nothing, so what it stood in the way of is compared with what was known before.
  const changed = changedBetween(ledger, base, run, { throughFailures: true });
  const changes = findChanges({
    ...how,
    ...changed,
    headersBefore: base.columns,
    headersAfter: run.columns,
  });
  const runs = { sinceRun: runName(base), run: runName(run) };
  for (const change of changes) yield { ...change, ...runs };
}

/** What a run has found as it was, with the runs in which the records became so. */
export function unchangedIn(
  ledger: Pick<Ledger, 'records' | 'searches'>,
  { base, run }: { readonly base: Run; readonly run: Run },
  names: ReferenceNames,
): { readonly rows: Iterable<UnchangedRow>; readonly people: Iterable<UnchangedPeople> } {
  const { rows, people } = changedBetween(ledger, base, run);
  return {
    rows: unchangedRows(rows, base.columns, run.columns),
    people: unchangedPeople(people, run.id, names),
  };
}

/** What may differ. A damaged answer reads as a row that failed, which is no change. */
function changedBetween(
  { records, searches }: Pick<Ledger, 'records' | 'searches'>,
  base: Run,
  run: Run,
  how: HowToLook = {},
) {
  const changed = records.changed(base, run, () => {}, how);
  // Without a new search nobody has joined or left: then no company is looked at.
  const haveSearched = base.hasPeople && run.hasPeople && searches.hasAny(base.id, run.id);
  return { rows: changed.rows(), people: haveSearched ? changed.people() : [] };
}
