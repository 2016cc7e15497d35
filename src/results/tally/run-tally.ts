import { type FlatRecord, positionOf } from '../../core/columns/columns.ts';
import { countFilled } from '../../core/columns/company-cells.ts';
import { companyColumns, peopleColumns } from '../../core/columns/table-columns.ts';
import {
  CopiedRow,
  companyOffset,
  type FlatRow,
  type RunRecord,
} from '../../core/columns/tables.ts';
import type { RowStatus } from '../../core/rules/outcomes.ts';
import { createChangeTally } from './change-tally.ts';
import { createLookupTally } from './lookup-tally.ts';
import { noRows, takeRow } from './row-sample.ts';

export type RunTally = ReturnType<ReturnType<typeof createRunTally>['facts']>;

export interface ReasonTally {
  readonly status: Exclude<RowStatus, 'matched'>;
  readonly reason: string;
  rows: number;
  examples: readonly number[];
}

/** Memory must not grow with the list. */
export function createRunTally() {
  let mismatches = 0;
  let companies = 0;
  let oldestAnswerAt: string | null = null;
  const filled = new Array<number>(companyColumns.length).fill(0);
  const reasons = new Map<string, ReasonTally>();
  const sample = noRows();
  let people = 0;
  const firstPeople: FlatRecord[] = [];
  /** Filled after `sample`, because people come after all rows. */
  let peopleOfRow: Map<number, number> | undefined;
  const changes = createChangeTally();
  const lookups = createLookupTally();

  const addRow = (flat: FlatRow) => {
    const { row } = flat;
    const { status, fetchedAt } = row;
    if (fetchedAt && !(oldestAnswerAt && oldestAnswerAt <= fetchedAt)) oldestAnswerAt = fetchedAt;
    const reason = row.reason ?? '';
    if (status === 'matched') {
      companies += 1;
      if (row.match === 'mismatch') mismatches += 1;
      if (flat instanceof CopiedRow) flat.company.countFilled(filled);
      else countFilled(filled, flat.cells, companyOffset);
    } else if (status !== 'open') {
      const key = `${status} ${reason}`;
      const tally: ReasonTally = reasons.get(key) ?? { status, reason, rows: 0, examples: [] };
      reasons.set(key, tally);
      tally.rows += 1;
      if (tally.rows <= examplesKept) tally.examples = [...tally.examples, row.number];
    }
    takeRow(sample, row);
    lookups.add(row);
  };
  const addPerson = (person: FlatRecord) => {
    people += 1;
    if (people <= peopleKept) firstPeople.push(person);
    peopleOfRow ??= new Map(Object.values(sample).flatMap((rows) => rows.map((row) => [row, 0])));
    for (const row of person[rowNumbersAt] as readonly number[]) {
      const known = peopleOfRow.get(row);
      if (known !== undefined) peopleOfRow.set(row, known + 1);
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
      /** `filled[i]`: companies with a value in company column i. */
      company: { companies, filled },
      /** `ofRow`: pairs of row number and number of people. */
      people: { first: firstPeople, ofRow: [...(peopleOfRow ?? [])] },
      changes: changes.facts(),
      lookups: lookups.facts(),
      sample,
    }),
  };
}

const examplesKept = 3;
const peopleKept = 200;
const rowNumbersAt = positionOf(peopleColumns, 'row_numbers');
