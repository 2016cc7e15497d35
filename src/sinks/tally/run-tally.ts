import type { RowRecord } from '../../ledger/run-records.ts';
import { type Cell, type FlatRecord, positionOf } from '../../records/columns/columns.ts';
import { companyColumns } from '../../records/columns/company-columns.ts';
import { peopleColumns } from '../../records/columns/people-columns.ts';
import type { Drift } from '../../records/flatten/drift.ts';
import { companyOffset, type FlatRow } from '../../records/flatten-row.ts';
import type { RunRecord } from '../../records/tables.ts';
import type { RecordStatus, RowStatus } from '../../rules/outcomes.ts';
import { openChangeTally } from './change-tally.ts';
import { clipText, openCounter } from './counter.ts';
import { openRowSampler, type SampledRow, sampleRow } from './row-sample.ts';

/** All that the report says of the rows and people of a run, as plain JSON of a bounded size. */
export type RunTally = ReturnType<ReturnType<typeof openRunTally>['facts']>;
export type PeopleTally = RunTally['people'];

/** Rows that have no company for the same reason. */
export interface ReasonTally {
  readonly status: Exclude<RowStatus, 'matched'>;
  readonly reason: string;
  readonly rows: number;
  /** The first of them. */
  readonly examples: readonly SampledRow[];
}

/** Folds rows, people and changes into the facts of a report, so that none of them is kept. */
export function openRunTally() {
  const outcomes = openCounter();
  const matches = openCounter();
  const countries = openCounter();
  const reasons = openReasonTally();
  const company = openCompanyTally();
  const people = openPeopleTally();
  const changes = openChangeTally();
  const sample = openRowSampler();

  const addRow = ({ row, cells, drifts }: FlatRow) => {
    outcomes.add(outcomeKey(row.askedBy ?? 'none', row.status));
    if (row.country !== null) countries.add(row.country);
    if (row.status === 'matched') {
      matches.add(row.match ?? 'unverified');
      company.add(row.number, drifts, cells);
    } else {
      reasons.add(row);
    }
    const textAt = (position: number) => {
      const cell = cells[position];
      return typeof cell === 'string' ? cell : undefined;
    };
    sample.add(row, { name: textAt(namePosition), domain: textAt(domainPosition) });
  };
  return {
    add({ row, person, change }: RunRecord): undefined {
      if (row) addRow(row);
      if (person) people.add(person);
      if (change) changes.add(change);
    },
    facts: () => ({
      /** `fqdn matched`: how rows ended by the kind of identifier that was asked for, `none` if none. */
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

export function outcomeKey(kind: string, status: RecordStatus): string {
  return `${kind} ${status}`;
}

const inCompany = (name: string) => companyOffset + positionOf(companyColumns, name);
const namePosition = inCompany('company_name');
const domainPosition = inCompany('company_fqdn');
const headquartersPosition = inCompany('company_hq_country');
const sizePosition = inCompany('company_company_size');
const industriesPosition = inCompany('company_industries');

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

const examplesKept = 3;

function openReasonTally() {
  const kept = new Map<string, Writable<ReasonTally>>();
  return {
    add(row: RowRecord): void {
      const { status, reason } = row;
      if (status === 'matched' || status === 'open') return;
      const key = `${status} ${reason ?? ''}`;
      const tally = kept.get(key) ?? { status, reason: reason ?? '', rows: 0, examples: [] };
      kept.set(key, tally);
      tally.rows += 1;
      if (tally.examples.length < examplesKept) {
        tally.examples = [...tally.examples, sampleRow(row)];
      }
    },
    facts: (): ReasonTally[] => [...kept.values()],
  };
}

export interface CountedDrift extends Drift {
  readonly rows: number;
  readonly firstRow: number;
}

/** A service may invent a field name for each company; so many of them are enough to show it. */
const mostDrifts = 500;
const longestPath = 160;

/** What can only be said after every company was seen. */
function openCompanyTally() {
  let companies = 0;
  const filled = new Array<number>(companyColumns.length).fill(0);
  const headquarters = openCounter();
  const industries = openCounter();
  const sizes = openCounter();
  const drifts = new Map<string, Writable<CountedDrift>>();

  const addDrift = (drift: Drift, firstRow: number) => {
    const path = clipText(drift.path, longestPath);
    const key = `${path} ${drift.expected} ${drift.found}`;
    const known = drifts.get(key);
    if (known) known.rows += 1;
    else if (drifts.size < mostDrifts) drifts.set(key, { ...drift, path, rows: 1, firstRow });
  };
  return {
    add(row: number, found: readonly Drift[], cells: FlatRecord): void {
      companies += 1;
      for (let index = 0; index < filled.length; index += 1) {
        if (isFilled(cells[companyOffset + index])) filled[index] = (filled[index] ?? 0) + 1;
      }
      addText(headquarters, cells[headquartersPosition]);
      addText(sizes, cells[sizePosition]);
      const names = cells[industriesPosition];
      if (Array.isArray(names)) for (const name of new Set(names)) addText(industries, name);
      for (const drift of found) addDrift(drift, row);
    },
    facts: () => ({
      /** Rows that have a company. */
      companies,
      /** How many of them fill each of the company columns. */
      filled: filled as readonly number[],
      headquarters: headquarters.facts(),
      industries: industries.facts(),
      sizes: sizes.facts(),
      drift: [...drifts.values()] as readonly CountedDrift[],
    }),
  };
}

function isFilled(cell: Cell | undefined): boolean {
  if (cell === null || cell === undefined || cell === '') return false;
  return !Array.isArray(cell) || cell.length > 0;
}

function addText(counter: { add(name: string): void }, cell: Cell | undefined): void {
  const text = typeof cell === 'string' ? cell.trim() : '';
  if (text !== '') counter.add(text);
}

const seniorityPosition = positionOf(peopleColumns, 'seniority');
const departmentPosition = positionOf(peopleColumns, 'department');
/** The other booleans say something of the record. */
const channels = [...peopleColumns.entries()].filter(
  ([, { name, type }]) => type === 'boolean' && name.startsWith('has_'),
);

function openPeopleTally() {
  let people = 0;
  const seniorities = openCounter();
  const departments = openCounter();
  const reached = openCounter();
  return {
    add(person: FlatRecord): void {
      people += 1;
      for (const id of textsOf(person[seniorityPosition])) seniorities.add(id);
      for (const id of textsOf(person[departmentPosition])) departments.add(id);
      for (const [position, { name }] of channels) {
        if (person[position] === true) reached.add(name);
      }
    },
    facts: () => ({
      people,
      /** By the searches that found them; a person found by two searches counts for both. */
      seniorities: seniorities.facts(),
      departments: departments.facts(),
      /** `has_email`, `has_mobile` and so on: how many can be reached in that way. */
      channels: reached.facts(),
    }),
  };
}

function textsOf(cell: Cell | undefined): readonly string[] {
  return Array.isArray(cell) ? cell.map(String) : [];
}
