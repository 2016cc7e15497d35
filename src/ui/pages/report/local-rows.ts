import type { Cell } from '../../../core/columns/columns.ts';
import type { ReportData } from '../../report/report-data.ts';
import type { ReportTable } from '../../report/report-rows.ts';
import type {
  FacetChoice,
  Facets,
  RowsPage,
  RowsQuery,
  TableRow,
  WholeRow,
} from '../../workbench/api.ts';
import { ApiError } from '../parts/api.ts';
import { fold } from '../parts/format.ts';
import { reasonName } from '../parts/labels.ts';
import { mostFacetValues } from '../parts/limits.ts';

/** Answers requests from the report's own rows, as the server of the workbench would. */
export function openLocalTable({ columns, rows, facets: filters, searched }: ReportTable) {
  const indexes = new Map(columns.map(({ name }, at) => [name, at]));
  const cellOf = (row: TableRow, name: string): Cell => {
    if (name === 'mismatch') return row.match === 'mismatch' || null;
    if (name === 'changed') return row.isChanged || null;
    return row.cells[indexes.get(name) ?? -1] ?? null;
  };
  const textOf = (row: TableRow, name: string) => {
    const cell = cellOf(row, name);
    if (typeof cell === 'boolean') return cell ? 'yes' : '';
    return [cell ?? ''].flat().join(', ').trim();
  };
  const texts = rows.map((row) =>
    fold([row.key, ...searched.map((name) => cellOf(row, name))].join('\n')),
  );
  const rowsWith = (search: string) => {
    const words = fold(search).split(' ');
    return rows.filter((_, at) => words.every((word) => texts[at]?.includes(word)));
  };
  const fits = (row: TableRow, facets: FacetChoice, but?: string) =>
    Object.entries(facets).every(
      ([name, values]) => name === but || values.includes(textOf(row, name)),
    );
  const own = columns.flatMap(({ isOfList, name }) => {
    const values = new Set(rows.map((row) => textOf(row, name)));
    return isOfList && values.size > 1 && values.size <= mostFacetValues ? [name] : [];
  });
  const index = { isWhole: true, share: 1, problem: null };
  return {
    rows({ search, facets, offset, limit, ...query }: RowsQuery): RowsPage {
      const shown = query.columns.flatMap((name) => columns[indexes.get(name) ?? -1] ?? []);
      const found = rowsWith(search).filter((row) => fits(row, facets));
      const { sort } = query;
      if (sort !== undefined) {
        const order = query.descending ? -1 : 1;
        found.sort((one, other) => compare(cellOf(one, sort), cellOf(other, sort), order));
      }
      return {
        index,
        offset,
        all: rows.length,
        total: found.length,
        columns: shown,
        rows: found.slice(offset, offset + limit).map((row) => ({
          ...row,
          cells: shown.map(({ name }) => cellOf(row, name)),
        })),
      };
    },
    facets({ search, facets, openFacets }: RowsQuery): Facets {
      const fitting = rowsWith(search);
      const valuesOf = (name: string) => {
        const counts = new Map((facets[name] ?? []).map((value) => [value, 0]));
        for (const row of fitting.filter((one) => fits(one, facets, name))) {
          const value = textOf(row, name);
          if (value || own.includes(name)) counts.set(value, (counts.get(value) ?? 0) + 1);
        }
        return [...counts]
          .sort(([, one], [, other]) => other - one)
          .map(([value, count]) => ({ value, count }));
      };
      const labelOf = (name: string) => columns[indexes.get(name) ?? -1]?.label ?? reasonName(name);
      const found = [...filters, ...own].map((name) => {
        const isOpen = filters.includes(name) || openFacets.includes(name) || name in facets;
        return { name, label: labelOf(name), values: isOpen ? valuesOf(name) : [] };
      });
      return {
        index,
        facets: found.filter(({ name, values }) => values.length > 0 || own.includes(name)),
      };
    },
  };
}

export function localRow({ table: { columns, rows } }: ReportData, number: number): WholeRow {
  const found = rows.find((one) => one.number === number);
  if (!found) {
    const message = `Row ${number} is not in this report.`;
    throw new ApiError({ message, remedy: 'The result files contain all rows.' });
  }
  const { cells, ...row } = found;
  const all = columns.map((column, at) => ({ column, value: cells[at] ?? null }));
  const { country, fetchedAt, changedAt, kind, identifier: value } = row;
  const outcome = outcomes[row.status];
  return {
    row,
    country,
    fetchedAt,
    changedAt,
    people: null,
    otherName: null,
    list: all
      .filter(({ column }) => column.isOfList)
      .map(({ column: { label: header }, value: cell }) => ({
        header,
        cell: cell === null ? null : String(cell),
        isCut: false,
      })),
    company:
      row.status === 'matched'
        ? all.filter(
            ({ column, value: cell }) =>
              column.name.startsWith('company_') && cell !== null && cell !== '',
          )
        : null,
    identifiers:
      kind === null || value === null ? [] : [{ kind, value, outcome, answer: undefined }],
  };
}

const outcomes = {
  matched: 'hit',
  not_found: 'miss',
  invalid: 'invalid',
  failed: 'failed',
  suppressed: 'spare',
  open: 'open',
} as const;

/** Rows without a value come last in both directions. */
function compare(one: Cell, other: Cell, order: number) {
  const isNone = (value: Cell) => value === null || value === '';
  if (isNone(one) || isNone(other)) return Number(isNone(one)) - Number(isNone(other));
  if (typeof one === 'number' && typeof other === 'number') return order * (one - other);
  return order * sizes.compare(String(one), String(other));
}

/** `51-200` comes before `1,001-5,000`. */
const sizes = new Intl.Collator('en', { numeric: true });
