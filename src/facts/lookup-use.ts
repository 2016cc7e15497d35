import { kindName } from '../core/contract/identifier-kinds.ts';
import {
  formatMoney,
  formatPaid,
  formatSpent,
  microsPerUnit,
  totalSpend,
} from '../core/values/money.ts';
import type { Ledger } from '../engine/ledger/open-ledger.ts';
import type { Run } from '../engine/ledger/runs/runs.ts';
import type { SpendRow } from '../engine/ledger/runs/spend.ts';
import { wordFor } from '../results/tally/lookup-tally.ts';
import type { RunTally } from '../results/tally/run-tally.ts';

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
      kind: 'People',
      columns: [],
      tried,
      found: tried - missed,
      missed,
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
