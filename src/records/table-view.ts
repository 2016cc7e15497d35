import { type ColumnOrder, chooseColumns } from './choose-columns.ts';
import { type Column, type FlatRecord, makeUnique } from './columns.ts';
import { type RunRecord, type Table, tables } from './tables.ts';

/** Which columns a file has, and in which order. */
export interface ColumnChoice {
  /** Names, patterns and presets. */
  readonly columns: readonly string[];
  readonly order: ColumnOrder;
}

/** A table as a file shows it. */
export interface TableView {
  readonly table: Table;
  readonly columns: readonly Column[];
  record(source: RunRecord): FlatRecord | undefined;
}

export function viewTable(
  table: Table,
  headers: readonly string[],
  choice: ColumnChoice,
): TableView {
  const { columns, record }: (typeof tables)[Table] = tables[table];
  const all: readonly Column[] = columns(headers);
  if (table !== 'companies' && table !== 'people') return { table, columns: all, record };
  const positions = chooseColumns(table, all, choice.columns);
  const arranged =
    table === 'companies' && choice.order === 'list-first'
      ? listFirst(all, positions, headers)
      : positions.map((position) => ({ position, column: all[position] as Column }));
  if (isWhole(arranged, all)) return { table, columns: all, record };
  const places = arranged.map(({ position }) => position);
  return {
    table,
    columns: arranged.map(({ column }) => column),
    record(source) {
      const whole = record(source);
      return whole && places.map((place) => whole[place] ?? null);
    },
  };
}

interface ArrangedColumn {
  readonly position: number;
  readonly column: Column;
}

/** Where the input has a `status` itself, ours is `status_2`, as in rejects.*. */
function listFirst(
  all: readonly Column[],
  positions: readonly number[],
  headers: readonly string[],
): ArrangedColumn[] {
  // The columns of the input are the last ones of a record.
  const inputOffset = all.length - headers.length;
  const arranged = (position: number, name: string) => ({
    position,
    column: { ...(all[position] as Column), name },
  });
  const input = positions
    .filter((position) => position >= inputOffset)
    .map((position) => arranged(position, headers[position - inputOffset] ?? ''));
  const ours = positions.filter((position) => position < inputOffset);
  const names = makeUnique(
    ours.map((position) => all[position]?.name ?? ''),
    { taken: input.map(({ column }) => column.name) },
  );
  return [...input, ...ours.map((position, index) => arranged(position, names[index] ?? ''))];
}

function isWhole(arranged: readonly ArrangedColumn[], all: readonly Column[]): boolean {
  return (
    arranged.length === all.length &&
    arranged.every(({ position, column }, index) => position === index && column === all[index])
  );
}
