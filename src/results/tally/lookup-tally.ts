import type { RowRecord } from '../../core/columns/run-records.ts';
import { kindName } from '../../core/contract/identifier-kinds.ts';
import { isReject } from '../../core/identify/identifier.ts';
import { identifyCell } from '../../core/identify/identify-cell.ts';
import type { RowCandidate } from '../../core/rules/next-candidate.ts';
import { formatMoney, microsPerUnit } from '../../core/values/money.ts';
import type { Ledger } from '../../engine/ledger/open-ledger.ts';
import type { Run } from '../../engine/ledger/runs/runs.ts';

/** Rows that were looked up by one kind of identifier. */
export interface LookupTally {
  readonly kind: string;
  found: number;
  missed: number;
  /** Rows found by the value of each column of the list. */
  readonly columns: Record<number, number>;
}

export function createLookupTally() {
  const byKind = new Map<string, LookupTally>();
  const tallyOf = (kind: string) => {
    const tally = byKind.get(kind) ?? { kind, found: 0, missed: 0, columns: {} };
    byKind.set(kind, tally);
    return tally;
  };
  const columnOf = createColumnFinder();
  return {
    add({ status, matchedBy, identifierKind, identifier, cells, missed = [] }: RowRecord): void {
      const isFound = status === 'matched' && matchedBy && identifierKind && identifier !== null;
      const kind = isFound ? wordFor(matchedBy) : '';
      if (isFound) {
        const tally = tallyOf(kind);
        tally.found += 1;
        const column = matchedBy === 'name' ? -1 : columnOf([identifierKind, identifier], cells);
        if (column !== -1) tally.columns[column] = (tally.columns[column] ?? 0) + 1;
      }
      if (missed.length === 0) return;
      const vain = new Set(missed.map(([of, , names]) => wordFor(names ? 'name' : of)));
      for (const one of vain) if (one !== kind) tallyOf(one).missed += 1;
    },
    facts: () => [...byKind.values()],
  };
}

const wordFor = (kind: string) => (kind === 'name' ? 'Company name' : kindName(kind));

/** Looks first where the last value of the kind was. */
function createColumnFinder() {
  const last = new Map<string, number>();
  return ([kind, value]: RowCandidate, cells: RowRecord['cells']) => {
    const isHere = (cell: string | null | undefined) =>
      ([kind, 'auto'] as const).some((as) => {
        const read = identifyCell(cell ?? '', as);
        return (
          !isReject(read) && [read, ...(read.alternates ?? [])].some((one) => one.value === value)
        );
      });
    const known = last.get(kind) ?? -1;
    const column = isHere(cells[known]) ? known : cells.findIndex(isHere);
    if (column !== -1) last.set(kind, column);
    return column;
  };
}

export type LookupUse = ReturnType<typeof lookupUse>[number];

/** Which columns found the companies, and what the lookups of this run cost. */
export function lookupUse(
  { calls, spend, services }: Pick<Ledger, 'calls' | 'spend' | 'services'>,
  { id, columns, services: asked }: Pick<Run, 'id' | 'columns' | 'services'>,
  /** Absent in what 0.9.0 has stored. */
  tallies: readonly LookupTally[] = [],
) {
  const prices = spend.ofRun(id).filter(({ operation }) => operation === 'company');
  const made = calls.madeByKind(id);
  return tallies
    .map(({ kind, found, missed, columns: byColumn }) => {
      const costs = made.filter((one) => kindName(one.kind) === kind);
      const cost = (isWanted: (outcome: string) => boolean) => {
        const byCurrency = new Map<string, number>();
        for (const { outcome, serviceId, number } of costs) {
          if (!isWanted(outcome)) continue;
          const service = serviceId === null ? null : (services.get(serviceId)?.name ?? null);
          const price = prices.find((one) => asked.length < 2 || one.service === service);
          if (!price?.currency) continue;
          const { hits, misses, rejected, charged, currency } = price;
          const each = charged / Math.max(1, hits + misses + rejected);
          const isFree = outcome !== 'hit' && misses + rejected === 0;
          const micros = isFree ? 0 : each * number;
          byCurrency.set(currency, (byCurrency.get(currency) ?? 0) + micros);
        }
        return [...byCurrency]
          .map(([currency, micros]) => formatMoney(currency, Math.round(micros) / microsPerUnit))
          .join(' + ');
      };
      return {
        kind,
        columns: Object.entries(byColumn)
          .sort(([, one], [, other]) => other - one)
          .map(([index, rows]) => ({ name: columns[Number(index)] ?? '', rows })),
        tried: found + missed,
        found,
        missed,
        /** Empty if nothing was paid in this run, or the price is not set. */
        spent: cost(() => true),
        spentOnMisses: cost((outcome) => outcome !== 'hit'),
      };
    })
    .sort((one, other) => other.found - one.found);
}
