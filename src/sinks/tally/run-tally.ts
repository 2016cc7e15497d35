import type { RowRecord } from '../../ledger/run-records.ts';
import { type Cell, type FlatRecord, positionOf } from '../../records/columns.ts';
import { companyOffset, type FlatRow } from '../../records/flatten-row.ts';
import { companyColumns, peopleColumns } from '../../records/table-columns.ts';
import type { RunRecord } from '../../records/tables.ts';
import type { RowStatus } from '../../rules/outcomes.ts';
import { openChangeTally } from './change-tally.ts';
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
  let mismatches = 0;
  const reasons = openReasonTally();
  const company = openCompanyTally();
  const people = openPeopleTally();
  const changes = openChangeTally();
  const sample = openRowSampler();

  const addRow = ({ row, cells }: FlatRow) => {
    if (row.status === 'matched') company.add(cells);
    else reasons.add(row);
    if (row.status === 'matched' && row.match === 'mismatch') mismatches += 1;
    const name = cells[namePosition];
    sample.add(row, typeof name === 'string' ? name : undefined);
  };
  return {
    add({ row, person, change }: RunRecord): undefined {
      if (row) addRow(row);
      if (person) people.add(person);
      if (change) changes.add(change);
    },
    facts: () => ({
      mismatches,
      reasons: reasons.facts(),
      company: company.facts(),
      people: people.facts(),
      changes: changes.facts(),
      sample: sample.facts(),
    }),
  };
}

const namePosition = companyOffset + positionOf(companyColumns, 'company_name');

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

/** How many companies fill each of the company columns. */
function openCompanyTally() {
  let companies = 0;
  const filled = new Array<number>(companyColumns.length).fill(0);
  return {
    add(cells: FlatRecord): void {
      companies += 1;
      for (let index = 0; index < filled.length; index += 1) {
        if (isFilled(cells[companyOffset + index])) filled[index] = (filled[index] ?? 0) + 1;
      }
    },
    facts: () => ({ companies, filled: filled as readonly number[] }),
  };
}

function isFilled(cell: Cell | undefined): boolean {
  if (cell === null || cell === undefined || cell === '') return false;
  return !Array.isArray(cell) || cell.length > 0;
}

const seniorityPosition = positionOf(peopleColumns, 'seniority');
const departmentPosition = positionOf(peopleColumns, 'department');
/** The other booleans say something of the record. */
const channels = [...peopleColumns.entries()].filter(
  ([, { name, type }]) => type === 'boolean' && name.startsWith('has_'),
);

function openPeopleTally() {
  let people = 0;
  const seniorities = new Map<string, number>();
  const departments = new Map<string, number>();
  const reached = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string) =>
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    add(person: FlatRecord): void {
      people += 1;
      for (const id of textsOf(person[seniorityPosition])) count(seniorities, id);
      for (const id of textsOf(person[departmentPosition])) count(departments, id);
      for (const [position, { name }] of channels) {
        if (person[position] === true) count(reached, name);
      }
    },
    facts: () => ({
      people,
      /** By the searches that found them; a person found by two searches counts for both. */
      seniorities: [...seniorities],
      departments: [...departments],
      /** `has_email`, `has_mobile` and so on: how many can be reached in that way. */
      channels: [...reached],
    }),
  };
}

function textsOf(cell: Cell | undefined): readonly string[] {
  return Array.isArray(cell) ? cell.map(String) : [];
}
