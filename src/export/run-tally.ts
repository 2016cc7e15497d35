import type { RowRecord } from '../ledger/run-records.ts';
import type { RowStatus } from '../rules/outcomes.ts';
import { companyColumns } from './columns.ts';
import {
  type CompanyTally,
  type CompanyTallying,
  companyPlace,
  openCompanyTally,
} from './company-tally.ts';
import { type Counted, openCounter } from './counter.ts';
import { openPeopleTally, type PeopleTally, type PeopleTallying } from './people-tally.ts';
import { openReasonTally, type ReasonTally } from './reason-tally.ts';
import type { FlatRow } from './row-record.ts';
import { openRowSampler, type RowSample } from './row-sample.ts';

/** All that the report says of the rows and people of a run, as plain JSON of a bounded size. */
export interface RunTally {
  /** `fqdn matched`: how rows ended by the kind of identifier that was asked for, `none` if none. */
  readonly outcomes: Counted;
  readonly matches: Counted;
  readonly countries: Counted;
  readonly reasons: readonly ReasonTally[];
  readonly company: CompanyTally;
  readonly people: PeopleTally;
  readonly sample: RowSample;
}

/**
 * Folds rows and people into the facts of a report while they are written, so that nothing is read
 * twice and nothing is held. Parts of a run that were folded apart can be merged.
 */
export interface RunTallying {
  addRow(row: RowRecord, flat: FlatRow): void;
  addPerson: PeopleTallying['add'];
  merge(other: RunTally): void;
  facts(): RunTally;
}

export function openRunTally(): RunTallying {
  const outcomes = openCounter();
  const matches = openCounter();
  const countries = openCounter();
  const reasons = openReasonTally();
  const company: CompanyTallying = openCompanyTally();
  const people: PeopleTallying = openPeopleTally();
  const sample = openRowSampler();
  return {
    addRow(row, { cells, drifts }) {
      outcomes.add(outcomeKey(row.askedBy ?? 'none', row.status));
      if (row.country !== null) countries.add(row.country);
      const offset = cells.length - companyColumns.length;
      if (row.status === 'matched') {
        matches.add(row.match ?? 'unverified');
        company.add(row.number, drifts, cells, offset);
      } else {
        reasons.add(row);
      }
      const textAt = (place: number) => {
        const cell = cells[offset + place];
        return typeof cell === 'string' ? cell : undefined;
      };
      sample.add(row, { name: textAt(namePlace), domain: textAt(domainPlace) });
    },
    addPerson: people.add,
    merge(other) {
      outcomes.merge(other.outcomes);
      matches.merge(other.matches);
      countries.merge(other.countries);
      reasons.merge(other.reasons);
      company.merge(other.company);
      people.merge(other.people);
      sample.merge(other.sample);
    },
    facts: () => ({
      outcomes: outcomes.facts(),
      matches: matches.facts(),
      countries: countries.facts(),
      reasons: reasons.facts(),
      company: company.facts(),
      people: people.facts(),
      sample: sample.facts(),
    }),
  };
}

const namePlace = companyPlace('company_name');
const domainPlace = companyPlace('company_fqdn');

export function outcomeKey(kind: string, status: RowStatus): string {
  return `${kind} ${status}`;
}
