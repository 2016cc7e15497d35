import type { RowRecord } from '../../core/columns/run-records.ts';
import { kindName } from '../../core/contract/identifier-kinds.ts';
import { isReject } from '../../core/identify/identifier.ts';
import { identifyCell } from '../../core/identify/identify-cell.ts';
import {
  formatMoney,
  formatPaid,
  formatSpent,
  microsPerUnit,
  totalSpend,
} from '../../core/values/money.ts';
import type { Ledger } from '../../engine/ledger/open-ledger.ts';
import type { Run } from '../../engine/ledger/runs/runs.ts';
import type { SpendRow } from '../../engine/ledger/runs/spend.ts';
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

/** How one kind of identifier did in a run, and what its lookups cost in all runs of the list. */
export interface KindUse {
  readonly kind: string;
  readonly columns: readonly { readonly name: string; readonly rows: number }[];
  /** Null for calls that are not about one kind, such as people searches. */
  readonly tried: number | null;
  readonly found: number | null;
  readonly missed: number | null;
  /** Empty if nothing was paid, or the price is not set. */
  readonly spent: string;
  readonly spentOnMisses: string;
}

/** Reading the calls of a run is slow, so earlier runs are one sum. */
const mostRuns = 5;

/** The amounts add up to what the list has cost. */
export function lookupUse(
  { runs, calls, spend, services }: Pick<Ledger, 'runs' | 'calls' | 'spend' | 'services'>,
  run: Pick<Run, 'id' | 'job' | 'isSample' | 'columns'>,
  /** 0.9.0 has stored none. */
  tallies: RunTally['lookups'] = [],
): KindUse[] {
  const paidRuns = runs
    .list(run.job)
    .filter(({ id, isSample }) => id <= run.id && isSample === run.isSample)
    .map((one) => ({ ...one, spent: Map.groupBy(spend.ofRun(one.id), isForPeople) }));
  const people = paidRuns.flatMap(({ spent }) => spent.get(true) ?? []);
  const companies = paidRuns.flatMap(({ spent }) => spent.get(false) ?? []);
  const shown = new Set(tallies.map(({ kind }) => kind));
  const made = paidRuns
    .filter(({ spent }) => spent.has(false))
    .slice(0, mostRuns)
    .flatMap(({ id, services: asked, spent }) =>
      calls.madeByKind(id).flatMap(({ kind, result, serviceId, number }) => {
        const name = serviceId === null ? null : services.get(serviceId)?.name;
        const price = spent.get(false)?.find(({ service }) => asked.length < 2 || service === name);
        const by = [kindName(kind), wordFor('name')].find((word) => shown.has(word));
        if (!price?.currency || by === undefined) return [];
        const { hits, misses, rejected, charged, missed, currency } = price;
        const isHit = result === 'hit';
        const areMissesFree = misses > 0 && missed === 0;
        const paid = hits + (areMissesFree ? 0 : misses + rejected);
        const each = areMissesFree && !isHit ? 0 : charged / Math.max(1, paid);
        return { kind: by, isHit, currency, micros: number * each };
      }),
    );
  const sum = (some: readonly { readonly currency: string; readonly micros: number }[]) =>
    [...Map.groupBy(some, ({ currency }) => currency)].map(([currency, of]) => {
      const micros = of.reduce((total, one) => total + one.micros, 0);
      return { currency, amount: Math.round(micros) / microsPerUnit };
    });
  const textOf = (some: typeof made) =>
    sum(some)
      .map(({ currency, amount }) => formatMoney(currency, amount))
      .join(' + ');
  const kinds = tallies
    .map(({ kind, found, missed, columns }) => {
      const own = made.filter((one) => one.kind === kind);
      const byColumn = Object.entries(columns).sort(([, one], [, other]) => other - one);
      return {
        kind,
        columns: byColumn.map(([at, rows]) => ({ name: run.columns[Number(at)] ?? '', rows })),
        tried: found + missed,
        found,
        missed,
        spent: textOf(own),
        spentOnMisses: textOf(own.filter(({ isHit }) => !isHit)),
      };
    })
    .sort((one, other) => other.found - one.found);
  const all = totalSpend([...companies, ...people]);
  if (all.money.length === 0) return kinds;
  const others = [
    ...companies.map(({ currency, charged }) => ({ currency, micros: charged })),
    ...made.map(({ currency, micros }) => ({ currency, micros: -micros })),
  ];
  const sums = {
    'Other calls': formatPaid(sum(others.filter(({ currency }) => currency !== ''))),
    People: formatSpent(totalSpend(people)),
    Together: formatSpent(all),
  };
  const lines = Object.entries(sums).filter(([, spent]) => spent !== '');
  const blank = { columns: [], tried: null, found: null, missed: null, spentOnMisses: '' };
  return [...kinds, ...lines.map(([kind, spent]) => ({ kind, spent, ...blank }))];
}

const isForPeople = ({ operation }: Pick<SpendRow, 'operation'>) => operation === 'people';
