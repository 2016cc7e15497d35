import { type Cell, type FlatRecord, positionOf } from '../../core/columns/columns.ts';
import { companyColumns, peopleColumns } from '../../core/columns/table-columns.ts';
import { companyOffset, type FlatRow, type RunRecord } from '../../core/columns/tables.ts';
import type { RowStatus } from '../../core/rules/outcomes.ts';
import { openChangeTally } from './change-tally.ts';
import { noRows, takeRow } from './row-sample.ts';

export type RunTally = ReturnType<ReturnType<typeof openRunTally>['facts']>;
export type PeopleTally = RunTally['people'];

export interface ReasonTally {
  readonly status: Exclude<RowStatus, 'matched'>;
  readonly reason: string;
  rows: number;
  examples: readonly number[];
}

/** Keeps counts only, so memory stays small for any list. */
export function openRunTally() {
  let mismatches = 0;
  let companies = 0;
  let oldestAnswerAt: string | null = null;
  const filled = new Array<number>(companyColumns.length).fill(0);
  const reasons = new Map<string, ReasonTally>();
  const sample = noRows();
  let people = 0;
  const seniorities = new Map<string, number>();
  const departments = new Map<string, number>();
  const reached = new Map<string, number>();
  const changes = openChangeTally();

  const addRow = ({ row, cells }: FlatRow) => {
    const { status, fetchedAt } = row;
    if (fetchedAt && !(oldestAnswerAt && oldestAnswerAt <= fetchedAt)) oldestAnswerAt = fetchedAt;
    const reason = row.reason ?? '';
    if (status === 'matched') {
      companies += 1;
      if (row.match === 'mismatch') mismatches += 1;
      for (let index = 0; index < filled.length; index += 1) {
        if (isFilled(cells[companyOffset + index])) filled[index] = (filled[index] ?? 0) + 1;
      }
    } else if (status !== 'open') {
      const key = `${status} ${reason}`;
      const tally: ReasonTally = reasons.get(key) ?? { status, reason, rows: 0, examples: [] };
      reasons.set(key, tally);
      tally.rows += 1;
      if (tally.rows <= examplesKept) tally.examples = [...tally.examples, row.number];
    }
    takeRow(sample, row);
  };
  const addPerson = (person: FlatRecord) => {
    people += 1;
    for (const id of textsOf(person[seniorityPosition])) count(seniorities, id);
    for (const id of textsOf(person[departmentPosition])) count(departments, id);
    for (const [position, { name }] of channels) {
      if (person[position] === true) count(reached, name);
    }
  };
  return {
    add({ row, person, change }: RunRecord): undefined {
      if (row) addRow(row);
      if (person) addPerson(person);
      if (change) changes.add(change);
    },
    facts: () => ({
      mismatches,
      oldestAnswerAt,
      reasons: [...reasons.values()],
      /** `filled[i]` counts the companies with a value in company column i. */
      company: { companies, filled },
      people: {
        people,
        /** A person found by two searches counts for both. */
        seniorities: [...seniorities],
        departments: [...departments],
        channels: [...reached],
      },
      changes: changes.facts(),
      sample,
    }),
  };
}

const examplesKept = 3;
const seniorityPosition = positionOf(peopleColumns, 'seniority');
const departmentPosition = positionOf(peopleColumns, 'department');
/** Other booleans describe the record, not a channel. */
const channels = [...peopleColumns.entries()].filter(
  ([, { name, type }]) => type === 'boolean' && name.startsWith('has_'),
);

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function isFilled(cell: Cell | undefined): boolean {
  if (cell === null || cell === undefined || cell === '') return false;
  return !Array.isArray(cell) || cell.length > 0;
}

function textsOf(cell: Cell | undefined): readonly string[] {
  return Array.isArray(cell) ? cell.map(String) : [];
}
