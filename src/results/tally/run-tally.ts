import { type FlatRecord, positionOf } from '../../core/columns/columns.ts';
import { countFilled } from '../../core/columns/company-cells.ts';
import type { RowRecord } from '../../core/columns/run-records.ts';
import { companyColumns, peopleColumns } from '../../core/columns/table-columns.ts';
import {
  CopiedRow,
  companyOffset,
  type FlatRow,
  type RunRecord,
} from '../../core/columns/tables.ts';
import type { RowStatus } from '../../core/rules/outcomes.ts';
import { type ChangeTally, createChangeTally } from './change-tally.ts';
import { createLookupTally, type LookupTally } from './lookup-tally.ts';
import { dropFrom, keepFirst, noRows, type RowSample, replaceRow, takeRow } from './row-sample.ts';

export interface RunTally {
  readonly mismatches: number;
  readonly oldestAnswerAt: string | null;
  /** So that the next is known if the oldest goes. */
  readonly oldestTimes: string[];
  readonly reasons: ReasonTally[];
  /** `filled[i]`: companies with a value in company column i. */
  readonly company: { readonly companies: number; readonly filled: number[] };
  /** `ofRow`: pairs of row number and number of people. */
  readonly people: { readonly first: FlatRecord[]; readonly ofRow: [number, number][] };
  readonly changes: ChangeTally;
  /** Absent in tallies of version 0.9.0. */
  readonly lookups: LookupTally[];
  readonly sample: RowSample;
}

export interface ReasonTally {
  readonly status: Exclude<RowStatus, 'matched'>;
  readonly reason: string;
  rows: number;
  readonly examples: number[];
}

/** Memory must not grow with the list. `start` is the tally of an earlier result, whose rows are replaced. */
export function createRunTally(start?: RunTally) {
  let mismatches = start?.mismatches ?? 0;
  let companies = start?.company.companies ?? 0;
  const oldestTimes = start?.oldestTimes ?? [];
  const filled = start?.company.filled ?? new Array<number>(companyColumns.length).fill(0);
  const reasons = new Map(start?.reasons.map((tally) => [reasonOf(tally), tally]));
  const sample = start?.sample ?? noRows();
  let people = 0;
  const firstPeople: FlatRecord[] = [];
  /** Filled after `sample`, because people come after all rows. */
  let peopleOfRow: Map<number, number> | undefined;
  const changes = createChangeTally();
  const lookups = createLookupTally(start?.lookups);

  const countCompany = (flat: FlatRow, step: 1 | -1) => {
    companies += step;
    if (flat.row.match === 'mismatch') mismatches += step;
    if (flat instanceof CopiedRow) flat.company.countFilled(filled, step);
    else countFilled(filled, flat.cells, companyOffset, step);
  };
  const countRow = (flat: FlatRow) => {
    const { row } = flat;
    const { status } = row;
    if (status === 'matched') countCompany(flat, 1);
    else if (status !== 'open') {
      const reason = row.reason ?? '';
      const key = reasonOf(row);
      const tally: ReasonTally = reasons.get(key) ?? { status, reason, rows: 0, examples: [] };
      reasons.set(key, tally);
      tally.rows += 1;
      keepFirst(tally.examples, row.number, examplesKept);
    }
  };
  const addRow = (flat: FlatRow) => {
    if (flat.row.fetchedAt) keepFirst(oldestTimes, flat.row.fetchedAt, oldestKept);
    countRow(flat);
    takeRow(sample, flat.row);
    lookups.add(flat.row);
  };
  const uncountRow = (flat: FlatRow) => {
    const { row } = flat;
    if (row.status === 'matched') countCompany(flat, -1);
    const key = reasonOf(row);
    const tally = reasons.get(key);
    if (!tally) return row.status === 'matched' || row.status === 'open';
    tally.rows -= 1;
    if (tally.rows === 0) reasons.delete(key);
    return tally.rows === 0 || dropFrom(tally.examples, row.number, examplesKept);
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
    /** Exchanges the row of a number. False if only counting every row again shows what is left. */
    replace(before?: FlatRow, after?: FlatRow): boolean {
      const [was, is] = [before?.row, after?.row];
      if (!replaceTime(oldestTimes, was?.fetchedAt, is?.fetchedAt)) return false;
      if (!replaceRow(sample, was, is) || !lookups.replace(was, is)) return false;
      const isSameReason = was && is && was.status !== 'matched' && reasonOf(was) === reasonOf(is);
      if (isSameReason) return true;
      if (before && !uncountRow(before)) return false;
      if (after) countRow(after);
      return true;
    },
    facts: (): RunTally => ({
      mismatches,
      oldestAnswerAt: oldestTimes[0] ?? null,
      oldestTimes,
      // In the order of their first rows.
      reasons: [...reasons.values()].sort(
        ({ examples: [one = 0] }, { examples: [other = 0] }) => one - other,
      ),
      company: { companies, filled },
      people: { first: firstPeople, ofRow: [...(peopleOfRow ?? [])] },
      changes: changes.facts(),
      lookups: lookups.facts(),
      sample,
    }),
  };
}

const reasonOf = ({ status, reason }: Pick<RowRecord, 'status' | 'reason'>) =>
  `${status} ${reason ?? ''}`;

/** False if no time is known any more. */
function replaceTime(oldest: string[], before?: string | null, after?: string | null): boolean {
  const last = oldest.at(-1);
  const at = before ? oldest.indexOf(before) : -1;
  if (at !== -1) oldest.splice(at, 1);
  // Which times come later is unknown.
  if (after && (last === undefined || after <= last)) keepFirst(oldest, after, oldestKept);
  return oldest.length > 0 || last === undefined;
}

const oldestKept = 50;
const examplesKept = 3;
const peopleKept = 200;
const rowNumbersAt = positionOf(peopleColumns, 'row_numbers');
