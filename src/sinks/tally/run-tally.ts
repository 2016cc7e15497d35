import { positionOf } from '../../records/columns/columns.ts';
import { companyColumns } from '../../records/columns/company-columns.ts';
import { companyOffset, type FlatRow } from '../../records/flatten-row.ts';
import type { RecordBatch } from '../../records/record-batch.ts';
import type { RecordStatus } from '../../rules/outcomes.ts';
import { type ChangeTally, openChangeTally } from './change-tally.ts';
import { type CompanyTally, openCompanyTally } from './company-tally.ts';
import { type Counted, openCounter } from './counter.ts';
import { openPeopleTally, type PeopleTally } from './people-tally.ts';
import { openReasonTally, type ReasonTally } from './reason-tally.ts';
import { openRowSampler, type RowSample, type SampleRoom, sampleRoom } from './row-sample.ts';

/** All that the report says of the rows and people of a run, as plain JSON of a bounded size. */
export interface RunTally {
  /** `fqdn matched`: how rows ended by the kind of identifier that was asked for, `none` if none. */
  readonly outcomes: Counted;
  readonly matches: Counted;
  readonly countries: Counted;
  readonly reasons: readonly ReasonTally[];
  readonly company: CompanyTally;
  readonly people: PeopleTally;
  readonly changes: ChangeTally;
  readonly sample: RowSample;
}

/** The name of the sink that takes tallies of batches. */
export const tallyName = 'tally';

/**
 * Gives the function that makes the tally of a batch, which the sink of the report takes. It gets its
 * batches in the order of the rows, though not all of them: a row after the first 3,000 of a class
 * that it has seen is not among the first 3,000 of the run, and is not sampled.
 */
export function openBatchTally(): (batch: RecordBatch) => RunTally {
  const room = sampleRoom();
  return (batch) => {
    const tally = openRunTally(room);
    tally.add(batch);
    return tally.facts();
  };
}

export interface RunTallying {
  add(batch: RecordBatch): void;
  /** Adds the tally of a later batch. */
  merge(later: RunTally): void;
  facts(): RunTally;
}

/** Folds rows and people into the facts of a report, so that none of them is kept. */
export function openRunTally(room: SampleRoom = sampleRoom()): RunTallying {
  const outcomes = openCounter();
  const matches = openCounter();
  const countries = openCounter();
  const reasons = openReasonTally();
  const company = openCompanyTally();
  const people = openPeopleTally();
  const changes = openChangeTally();
  const sample = openRowSampler(room);

  const addRow = ({ row, cells, drifts }: FlatRow) => {
    outcomes.add(outcomeKey(row.askedBy ?? 'none', row.status));
    if (row.country !== null) countries.add(row.country);
    if (row.status === 'matched') {
      matches.add(row.match ?? 'unverified');
      company.add(row.number, drifts, cells, companyOffset);
    } else {
      reasons.add(row);
    }
    const textAt = (position: number) => {
      const cell = cells[companyOffset + position];
      return typeof cell === 'string' ? cell : undefined;
    };
    sample.add(row, { name: textAt(namePosition), domain: textAt(domainPosition) });
  };
  return {
    add(batch) {
      for (const row of batch.rows) addRow(row);
      for (const person of batch.people) people.add(person);
      for (const change of batch.changes) changes.add(change);
    },
    merge(later) {
      outcomes.merge(later.outcomes);
      matches.merge(later.matches);
      countries.merge(later.countries);
      reasons.merge(later.reasons);
      company.merge(later.company);
      people.merge(later.people);
      changes.merge(later.changes);
      sample.merge(later.sample);
    },
    facts: () => ({
      outcomes: outcomes.facts(),
      matches: matches.facts(),
      countries: countries.facts(),
      reasons: reasons.facts(),
      company: company.facts(),
      people: people.facts(),
      changes: changes.facts(),
      sample: sample.facts(),
    }),
  };
}

const namePosition = positionOf(companyColumns, 'company_name');
const domainPosition = positionOf(companyColumns, 'company_fqdn');

export function outcomeKey(kind: string, status: RecordStatus): string {
  return `${kind} ${status}`;
}
