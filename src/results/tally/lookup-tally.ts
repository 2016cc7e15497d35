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
    .map((one) => ({ ...one, spent: spend.ofRun(one.id) }))
    .filter(({ spent }) => spent.length > 0);
  const recent = paidRuns.slice(0, mostRuns).map(({ spent, ...one }) => {
    const { company = [], people = [] } = Object.groupBy(spent, ({ operation }) => operation);
    return { ...one, company, people };
  });
  const shown = new Set(tallies.map(({ kind }) => kind));
  const made = recent.flatMap(({ id, services: asked, company }) =>
    (company.length === 0 ? [] : calls.madeByKind(id)).flatMap(
      ({ kind, result, serviceId, number }) => {
        const name = serviceId === null ? null : services.get(serviceId)?.name;
        const price = company.find(({ service }) => asked.length < 2 || service === name);
        const by = [kindName(kind), wordFor('name')].find((word) => shown.has(word));
        if (!price?.currency || by === undefined) return [];
        const isHit = result === 'hit';
        const { currency } = price;
        return { kind: by, isHit, currency, micros: number * chargedEach(price, isHit) };
      },
    ),
  );
  const people = recent.flatMap((one) => one.people);
  const searches = recent.flatMap(({ id, people: [price] }) => {
    const some = price && calls.searchesMade(id);
    if (!some) return [];
    return { ...some, currency: price.currency, micros: some.empty * chargedEach(price, false) };
  });
  const sum = (some: readonly { readonly currency: string; readonly micros: number }[]) =>
    [
      ...Map.groupBy(
        some.filter(({ currency }) => currency !== ''),
        ({ currency }) => currency,
      ),
    ].map(([currency, of]) => {
      const micros = of.reduce((all, one) => all + one.micros, 0);
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
  const all = paidRuns.flatMap(({ spent }) => spent);
  const total = totalSpend(all);
  if (total.money.length === 0) return kinds;
  const others = [
    ...all.map(({ currency, charged }) => ({ currency, micros: charged })),
    ...people.map(({ currency, charged }) => ({ currency, micros: -charged })),
    ...made.map(({ currency, micros }) => ({ currency, micros: -micros })),
  ];
  const [tried, missed] = [
    searches.reduce((most, one) => most + one.searches, 0),
    searches.reduce((most, { empty }) => most + empty, 0),
  ];
  const blank = { columns: [], tried: null, found: null, missed: null, spentOnMisses: '' };
  return [
    ...kinds,
    {
      ...{ kind: 'People', columns: [], tried, found: tried - missed, missed },
      spent: formatSpent(totalSpend(people)),
      spentOnMisses: formatPaid(sum(searches)),
    },
    { ...blank, kind: 'Other calls', spent: formatPaid(sum(others)) },
    { ...blank, kind: 'Together', spent: formatSpent(total) },
  ].filter(({ tried, spent }) => tried || spent !== '');
}

function chargedEach(
  { hits, misses, rejected, charged, missed }: Omit<SpendRow, 'quarterAt' | 'job' | 'isLookup'>,
  isHit: boolean,
) {
  const areMissesFree = misses > 0 && missed === 0;
  const paid = hits + (areMissesFree ? 0 : misses + rejected);
  return areMissesFree && !isHit ? 0 : charged / Math.max(1, paid);
}
