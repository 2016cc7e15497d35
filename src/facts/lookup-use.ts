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

type UsedLedger = Pick<Ledger, 'runs' | 'calls' | 'progress' | 'spend' | 'services'>;

/** The amounts add up to what the list has cost. */
export function lookupUse(
  ledger: UsedLedger,
  run: Pick<Run, 'id' | 'job' | 'isSample' | 'columns'>,
  /** 0.9.0 has stored none. */
  tallies: RunTally['lookups'] = [],
): KindUse[] {
  const paidRuns = paidRunsUntil(ledger, run);
  const recentRuns = paidRuns.slice(0, mostRuns);
  const shownKinds = new Set(tallies.map(({ kind }) => kind));
  const companySpend = recentRuns.flatMap((paid) => companySpendOf(ledger, paid, shownKinds));
  const kinds = tallies
    .map(({ kind, found, missed, columns }) => {
      const rowsByColumn = Object.entries(columns).sort(([, rows], [, others]) => others - rows);
      return {
        kind,
        columns: rowsByColumn.map(([at, rows]) => ({ name: run.columns[Number(at)] ?? '', rows })),
        tried: found + missed,
        found,
        missed,
        ...amountsOf(companySpend.filter((row) => row.kind === kind)),
      };
    })
    .sort((kind, other) => other.found - kind.found);
  const allSpend = paidRuns.flatMap(({ spent }) => spent);
  if (!isPriced(allSpend)) return kinds;
  const peopleSpend = recentRuns.flatMap(({ spent }) => spent.filter(isOfPeople));
  const { money, missMoney } = totalSpend([
    ...allSpend,
    ...[...companySpend, ...peopleSpend].map(negated),
  ]);
  const others = { spent: formatPaid(money), spentOnMisses: formatPaid(missMoney) };
  const blank = { columns: [], tried: null, found: null, missed: null };
  return [
    ...kinds,
    { ...blank, kind: 'People', ...peopleSearches(ledger, recentRuns), ...amountsOf(peopleSpend) },
    { ...blank, kind: 'Other calls', ...others },
    { ...blank, kind: 'Together', ...amountsOf(allSpend) },
  ].filter(({ tried, spent }) => tried || spent !== '');
}

function paidRunsUntil(
  { runs, spend }: UsedLedger,
  { id: last, job, isSample }: Parameters<typeof lookupUse>[1],
) {
  return runs
    .list(job)
    .filter((run) => run.id <= last && run.isSample === isSample)
    .map(({ id, services }) => ({ id, services, spent: spend.ofRun(id) }))
    .filter(({ spent }) => spent.length > 0);
}

type PaidRun = ReturnType<typeof paidRunsUntil>[number];

/** What the company lookups of a run cost, by the kind of identifier. */
function companySpendOf(
  { calls, progress, services }: UsedLedger,
  { id, services: asked, spent }: PaidRun,
  shownKinds: ReadonlySet<string>,
) {
  const prices = spent.filter((row) => !isOfPeople(row));
  if (!isPriced(prices)) return [];
  const made = progress.written(id)?.made ?? calls.madeByKind(id);
  return made.flatMap(({ kind, result, serviceId, number }) => {
    const name = serviceId === null ? null : services.get(serviceId)?.name;
    const price = prices.find(({ service }) => asked.length < 2 || service === name);
    // A call for a name has the ABN that the register gave.
    const shownAs = [kindName(kind), wordFor('name')].find((word) => shownKinds.has(word));
    if (!price?.currency || shownAs === undefined || result === 'failed') return [];
    const charged = number * chargedEach(price, result === 'hit');
    const misspent = result === 'miss' ? charged : 0;
    return { ...price, kind: shownAs, micros: charged, charged, misspent };
  });
}

function peopleSearches({ calls }: UsedLedger, paidRuns: readonly PaidRun[]) {
  const made = paidRuns
    .filter(({ spent }) => spent.some(isOfPeople))
    .flatMap(({ id }) => calls.searchesMade(id) ?? []);
  const tried = made.reduce((sum, { searches }) => sum + searches, 0);
  const missed = made.reduce((sum, { empty }) => sum + empty, 0);
  return { tried, found: tried - missed, missed };
}

const isOfPeople = ({ operation }: PaidRow) => operation === 'people';

const isPriced = (rows: readonly PaidRow[]) => rows.some(({ currency }) => currency !== '');

const negated = <Row extends PaidRow>(row: Row) => ({
  ...row,
  ...{ charged: -row.charged, misspent: -row.misspent },
});

function amountsOf(rows: readonly PaidRow[]) {
  const total = totalSpend(rows);
  return { spent: formatSpent(total), spentOnMisses: formatPaid(total.missMoney) };
}

type PaidRow = Omit<SpendRow, 'quarterAt' | 'job' | 'isLookup'>;

function chargedEach({ hits, misses, rejected, charged, misspent }: PaidRow, isHit: boolean) {
  const areMissesFree = misses > 0 && misspent === 0;
  const paid = hits + (areMissesFree ? 0 : misses + rejected);
  return areMissesFree && !isHit ? 0 : charged / Math.max(1, paid);
}
