import { identifierKinds } from '../contract/identifier-kinds.ts';
import type { NameTable, ReferenceNames } from '../contract/reference.ts';
import type { Counted } from '../sinks/tally/counter.ts';
import type { PeopleTally } from '../sinks/tally/run-tally.ts';
import { outcomeKey, type RunTally } from '../sinks/tally/run-tally.ts';
import { chooseRows } from './choose-rows.ts';
import type { Insight, OutcomesOfKind, PeopleInsight } from './data/insight-data.ts';
import { explainReason } from './explain-reason.ts';
import { gatherChanges } from './gather-changes.ts';
import { groupCoverage } from './group-coverage.ts';
import { rankBands, rankNames } from './rank-names.ts';

export interface InsightOptions {
  readonly totalRows: number;
  readonly hasPeople: boolean;
  /** The file that has every row. */
  readonly file: string;
  /** The run that was compared with, and the file that has every change. */
  readonly changes: { readonly since: string; readonly file: string } | null;
  readonly names: ReferenceNames;
}

/** A screen full; what comes after them is told as one number. */
const mostNames = 12;
const mostDrifts = 100;

/** Turns what was folded over all rows and people into what the page shows. */
export function gatherInsight(tally: RunTally, options: InsightOptions): Insight {
  const { company } = tally;
  const matches = new Map(tally.matches.names);
  return {
    outcomes: outcomesByKind(tally.outcomes),
    reasons: tally.reasons.toSorted(mostRowsFirst).map(explainReason),
    matches: {
      exact: matches.get('exact') ?? 0,
      alias: matches.get('alias') ?? 0,
      joined: matches.get('joined') ?? 0,
      mismatch: matches.get('mismatch') ?? 0,
      unverified: matches.get('unverified') ?? 0,
    },
    companies: company.companies,
    countries: rankNames(tally.countries, mostNames),
    headquarters: rankNames(company.headquarters, mostNames),
    industries: rankNames(company.industries, mostNames),
    sizes: rankBands(company.sizes, mostNames),
    people: options.hasPeople ? peopleInsight(tally.people, options) : null,
    changes: options.changes && gatherChanges(tally.changes, options.changes),
    coverage: groupCoverage(company.filled),
    drift: company.drift.toSorted(mostRowsFirst).slice(0, mostDrifts),
    sample: { total: options.totalRows, rows: chooseRows(tally.sample), file: options.file },
  };
}

/** Of equal ones, the one that an earlier row has comes first: a tally is in the order of rows. */
function mostRowsFirst(one: { readonly rows: number }, other: { readonly rows: number }): number {
  return other.rows - one.rows;
}

function outcomesByKind(outcomes: Counted): OutcomesOfKind[] {
  const counts = new Map(outcomes.names);
  return [...identifierKinds, 'none']
    .map((kind) => ({
      kind,
      matched: counts.get(outcomeKey(kind, 'matched')) ?? 0,
      not_found: counts.get(outcomeKey(kind, 'not_found')) ?? 0,
      invalid: counts.get(outcomeKey(kind, 'invalid')) ?? 0,
      failed: counts.get(outcomeKey(kind, 'failed')) ?? 0,
      open: counts.get(outcomeKey(kind, 'open')) ?? 0,
    }))
    .filter(({ kind: _, ...byStatus }) => Object.values(byStatus).some((count) => count > 0));
}

function peopleInsight(people: PeopleTally, { names }: InsightOptions): PeopleInsight {
  return {
    total: people.people,
    seniorities: rankNames(named(people.seniorities, names.seniority), mostNames),
    departments: rankNames(named(people.departments, names.department), mostNames),
    channels: rankNames(people.channels, mostNames).entries,
  };
}

/** Searches speak in ids, people do not. */
function named(counted: Counted, table: NameTable): Counted {
  return { ...counted, names: counted.names.map(([id, count]) => [table[id] ?? id, count]) };
}
