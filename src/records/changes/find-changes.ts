import type { ReferenceNames } from '../../contract/reference.ts';
import type { ChangedPeople } from '../../ledger/run-records.ts';
import { peopleColumns } from '../columns/people-columns.ts';
import { companiesColumns } from '../flatten-row.ts';
import type { Change } from './change.ts';
import { pairColumns } from './compare-records.ts';
import { comparedColumns } from './included-columns.ts';
import { changesOfPeople } from './people-changes.ts';
import { type ComparedRow, changeOfRow } from './row-change.ts';

/** What may differ between two runs, as the ledger gives it, and how to look at it. */
export interface ComparedRuns {
  readonly rows: Iterable<ComparedRow>;
  readonly people: Iterable<ChangedPeople>;
  /** Names of the input's columns in the earlier run and in the later. */
  readonly headersBefore: readonly string[];
  readonly headersAfter: readonly string[];
  /** Columns that are compared only on request, by name or pattern. */
  readonly include: readonly string[];
  readonly names: ReferenceNames;
}

/** All changes: rows in the order of the list, removed ones after them, then people by company. */
export function* findChanges(runs: ComparedRuns): Generator<Change> {
  const { headersBefore, headersAfter, include, names } = runs;
  const comparison = {
    pairs: pairColumns(
      comparedColumns(companiesColumns(headersBefore), include),
      comparedColumns(companiesColumns(headersAfter), include),
    ),
    widthBefore: headersBefore.length,
    widthAfter: headersAfter.length,
  };
  for (const row of runs.rows) {
    const change = changeOfRow(row, comparison);
    if (change) yield change;
  }
  const compared = comparedColumns(peopleColumns, include);
  const pairs = pairColumns(compared, compared);
  for (const company of runs.people) yield* changesOfPeople(company, pairs, names);
}
