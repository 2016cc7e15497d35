import type { RowRecord } from '../../core/columns/run-records.ts';
import { kindName } from '../../core/contract/identifier-kinds.ts';
import { isReject } from '../../core/identify/identifier.ts';
import { identifyCell } from '../../core/identify/identify-cell.ts';

/** Counts the rows that were looked up by each kind of identifier, and the columns that found them. */
export function createLookupTally(start: readonly LookupTally[] = []) {
  const kinds = new Map(start.map((tally) => [tally.kind, tally]));
  const tallyOf = (kind: string) => {
    const tally = kinds.get(kind) ?? noRows(kind);
    kinds.set(kind, tally);
    return tally;
  };
  const lastColumns = new Map<string, number>();
  const columnOf = (row: RowRecord) => {
    const holds = holderOf(row);
    if (!holds) return -1;
    const kind = row.identifierKind ?? '';
    // Most rows have the kind in the same column.
    const last = lastColumns.get(kind) ?? -1;
    const column = holds(row.cells[last]) ? last : row.cells.findIndex(holds);
    lastColumns.set(kind, column);
    return column;
  };
  const count = (row: RowRecord, column: number, step: 1 | -1) => {
    const found = foundBy(row);
    if (found !== undefined) {
      const tally = tallyOf(found);
      tally.found += step;
      if (column !== -1) tally.columns[column] = (tally.columns[column] ?? 0) + step;
      if (tally.columns[column] === 0) delete tally.columns[column];
    }
    for (const kind of missedBy(row)) if (kind !== found) tallyOf(kind).missed += step;
  };
  return {
    add: (row: RowRecord): void => count(row, columnOf(row), 1),
    /** False if two columns have what found a row: which one counts depends on the rows before it. */
    replace(before?: RowRecord, after?: RowRecord): boolean {
      const [was, is] = [before, after].map((row) => ({
        kinds: row && [foundBy(row), ...missedBy(row)],
        columns: (row && columnsOf(row)) ?? [],
      }));
      if (!was || !is || JSON.stringify(was) === JSON.stringify(is)) return true;
      if (was.columns.length > 1 || is.columns.length > 1) return false;
      if (before) count(before, was.columns[0] ?? -1, -1);
      if (after) count(after, is.columns[0] ?? -1, 1);
      return true;
    },
    facts: () =>
      [...kinds.values()]
        .filter(({ found, missed }) => found + missed > 0)
        .sort((one, other) => (one.kind < other.kind ? -1 : 1)),
  };
}

function foundBy({ status, matchedBy }: RowRecord) {
  return status === 'matched' && matchedBy ? wordFor(matchedBy) : undefined;
}

function missedBy({ missed = [] }: RowRecord) {
  return new Set(missed.map(([kind, , names]) => wordFor(names ? 'name' : kind)));
}

/** Tells the cells that have the identifier by which a company was found. */
function holderOf(row: RowRecord) {
  const { matchedBy, identifierKind: kind, identifier: value } = row;
  if (foundBy(row) === undefined || !kind || matchedBy === 'name') return undefined;
  return (cell: string | null | undefined) =>
    [kind, 'auto' as const].some((as) => {
      const read = identifyCell(cell ?? '', as);
      if (isReject(read)) return false;
      return read.value === value || read.alternates?.some((one) => one.value === value);
    });
}

function columnsOf({ cells, ...row }: RowRecord) {
  const holds = holderOf({ ...row, cells });
  return holds && [...cells.keys()].filter((at) => holds(cells[at]));
}

export type LookupTally = ReturnType<typeof noRows>;

const noRows = (kind: string) => ({
  kind,
  found: 0,
  missed: 0,
  /** Rows that the value of a column found, by its index. */
  columns: {} as Record<number, number>,
});

export const wordFor = (kind: string) => (kind === 'name' ? 'Company name' : kindName(kind));
