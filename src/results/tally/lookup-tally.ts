import type { RowRecord } from '../../core/columns/run-records.ts';
import { kindName } from '../../core/contract/identifier-kinds.ts';
import { isReject } from '../../core/identify/identifier.ts';
import { identifyCell } from '../../core/identify/identify-cell.ts';
import { formatMoney, microsPerUnit } from '../../core/values/money.ts';
import type { Ledger } from '../../engine/ledger/open-ledger.ts';
import type { Run } from '../../engine/ledger/runs/runs.ts';
import type { RunTally } from './run-tally.ts';

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

const wordFor = (kind: string) => (kind === 'name' ? 'Company name' : kindName(kind));

/** How one kind of identifier did in a run, and what its lookups cost. */
export interface KindUse {
  readonly kind: string;
  readonly columns: readonly { readonly name: string; readonly rows: number }[];
  readonly tried: number;
  readonly found: number;
  readonly missed: number;
  /** Empty if this run paid nothing, or the price is not set. */
  readonly spent: string;
  readonly spentOnMisses: string;
}

export function lookupUse(
  { calls, spend, services }: Pick<Ledger, 'calls' | 'spend' | 'services'>,
  run: Pick<Run, 'id' | 'columns' | 'services'>,
  /** 0.9.0 has stored none. */
  tallies: RunTally['lookups'] = [],
): KindUse[] {
  const spent = spend.ofRun(run.id).filter(({ operation }) => operation === 'company');
  const made = calls.madeByKind(run.id).flatMap(({ kind, outcome, serviceId, number }) => {
    const name = serviceId === null ? null : services.get(serviceId)?.name;
    const price = spent.find(({ service }) => run.services.length < 2 || service === name);
    if (!price?.currency) return [];
    const { hits, misses, rejected, charged, currency } = price;
    const isHit = outcome === 'hit';
    // If only hits are charged, no miss is counted.
    const isFree = !isHit && misses + rejected === 0;
    const each = isFree ? 0 : charged / Math.max(1, hits + misses + rejected);
    return { kind: kindName(kind), isHit, currency, micros: number * each };
  });
  const sum = (some: typeof made) =>
    [...Map.groupBy(some, ({ currency }) => currency)]
      .map(([currency, of]) => {
        const micros = of.reduce((total, one) => total + one.micros, 0);
        return formatMoney(currency, Math.round(micros) / microsPerUnit);
      })
      .join(' + ');
  return tallies
    .map(({ kind, found, missed, columns }) => {
      const own = made.filter((one) => one.kind === kind);
      const misses = own.filter(({ isHit }) => !isHit);
      const byColumn = Object.entries(columns).sort(([, one], [, other]) => other - one);
      return {
        kind,
        columns: byColumn.map(([at, rows]) => ({ name: run.columns[Number(at)] ?? '', rows })),
        tried: found + missed,
        found,
        missed,
        spent: sum(own),
        spentOnMisses: sum(misses),
      };
    })
    .sort((one, other) => other.found - one.found);
}
