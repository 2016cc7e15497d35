import type { NameTable, ReferenceNames } from '../contract/reference.ts';
import type { PeopleTally, RunTally } from '../sinks/tally/run-tally.ts';
import { chooseRows } from './choose-rows.ts';
import type { Insight, PeopleInsight, RankedName } from './data/report-data.ts';
import { explainReason, type RejectedCell } from './explain-reason.ts';
import { gatherChanges } from './gather-changes.ts';
import { groupCoverage } from './group-coverage.ts';

export interface InsightOptions {
  readonly totalRows: number;
  readonly hasPeople: boolean;
  /** The file that has every row. */
  readonly file: string;
  /** The run that was compared with, and the file that has every change. */
  readonly changes: { readonly since: string; readonly file: string } | null;
  readonly names: ReferenceNames;
  readonly rejectedCell: RejectedCell;
}

/** Turns what was folded over all rows and people into what the page shows. */
export function gatherInsight(tally: RunTally, options: InsightOptions): Insight {
  const { company, mismatches } = tally;
  return {
    reasons: tally.reasons
      // Of equal ones, the one that an earlier row has comes first.
      .toSorted((one, other) => other.rows - one.rows)
      .map((reason) => explainReason(reason, options.rejectedCell)),
    companies: company.companies,
    mismatches,
    people: options.hasPeople ? peopleInsight(tally.people, options.names) : null,
    changes: options.changes && gatherChanges(tally.changes, options.changes),
    coverage: groupCoverage(company.filled),
    sample: { total: options.totalRows, rows: chooseRows(tally.sample), file: options.file },
  };
}

function peopleInsight(people: PeopleTally, names: ReferenceNames): PeopleInsight {
  return {
    total: people.people,
    seniorities: ranked(people.seniorities, names.seniority),
    departments: ranked(people.departments, names.department),
    channels: ranked(people.channels, {}),
  };
}

/** The most frequent first. Searches speak in ids, people do not. */
function ranked(counts: PeopleTally['channels'], names: NameTable): RankedName[] {
  return counts
    .map(([id, count]) => ({ name: names[id] ?? id, count }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
}
