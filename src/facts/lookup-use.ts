import { kindName } from '../core/contract/identifier-kinds.ts';
import { formatPaid, formatSpent, totalSpend } from '../core/values/money.ts';
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
  {
    runs,
    calls,
    progress,
    spend,
    services,
  }: Pick<Ledger, 'runs' | 'calls' | 'progress' | 'spend' | 'services'>,
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
    (company.every(({ currency }) => currency === '')
      ? []
      : (progress.written(id)?.made ?? calls.madeByKind(id))
    ).flatMap(({ kind, result, serviceId, number }) => {
      const name = serviceId === null ? null : services.get(serviceId)?.name;
      const price = company.find(({ service }) => asked.length < 2 || service === name);
      const by = [kindName(kind), wordFor('name')].find((word) => shown.has(word));
      if (!price?.currency || by === undefined || result === 'failed') return [];
      const charged = number * chargedEach(price, result === 'hit');
      const chargedForMisses = result === 'miss' ? charged : 0;
      return { ...price, kind: by, micros: charged, charged, chargedForMisses };
    }),
  );
  const people = recent.flatMap((one) => one.people);
  const searches = recent.flatMap(({ id, people: [price] }) =>
    price ? (calls.searchesMade(id) ?? []) : [],
  );
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
        ...amountsOf(own),
      };
    })
    .sort((one, other) => other.found - one.found);
  const all = paidRuns.flatMap(({ spent }) => spent);
  if (all.every(({ currency }) => currency === '')) return kinds;
  const others = totalSpend([
    ...all,
    ...[...people, ...made].map((row) => ({
      ...{ ...row, charged: -row.charged, chargedForMisses: -row.chargedForMisses },
    })),
  ]);
  const [tried, missed] = [
    searches.reduce((most, one) => most + one.searches, 0),
    searches.reduce((most, { empty }) => most + empty, 0),
  ];
  const blank = { columns: [], tried: null, found: null, missed: null };
  return [
    ...kinds,
    { ...blank, kind: 'People', tried, found: tried - missed, missed, ...amountsOf(people) },
    {
      ...{ ...blank, kind: 'Other calls', spent: formatPaid(others.money) },
      spentOnMisses: formatPaid(others.missMoney),
    },
    { ...blank, kind: 'Together', ...amountsOf(all) },
  ].filter(({ tried, spent }) => tried || spent !== '');
}

function amountsOf(rows: readonly PaidRow[]) {
  const total = totalSpend(rows);
  return { spent: formatSpent(total), spentOnMisses: formatPaid(total.missMoney) };
}

type PaidRow = Omit<SpendRow, 'quarterAt' | 'job' | 'isLookup'>;

function chargedEach(
  { hits, misses, rejected, charged, chargedForMisses }: PaidRow,
  isHit: boolean,
) {
  const areMissesFree = misses > 0 && chargedForMisses === 0;
  const paid = hits + (areMissesFree ? 0 : misses + rejected);
  return areMissesFree && !isHit ? 0 : charged / Math.max(1, paid);
}
