import { isLookupSlot } from '../../ledger/file/locks.ts';
import type { SpendCounts, SpendRow } from '../../ledger/runs/spend.ts';
import { totalSpend } from '../../rules/total-spend.ts';
import { dayAt, monthAt } from '../../runtime/budget/calendar.ts';
import { moneyJson } from '../../runtime/budget/money.ts';
import type { Grouping } from './groupings.ts';
import type { SpendEntry, SpendSum } from './spend-json.ts';

/** Stands for all lookups; no job can have this name. */
const lookups = '(lookups)';

/** Adds up what was paid by the given groupings, in the order of time and names. */
export function groupSpend(
  rows: readonly SpendRow[],
  by: readonly Grouping[],
  timezone: string,
): SpendEntry[] {
  const periodNames = new Map<string, string>();
  const nameOf = (row: SpendRow, grouping: Grouping): string => {
    if (grouping === 'operation') return row.operation;
    if (grouping === 'job') return isLookupSlot(row.job) ? lookups : row.job;
    const key = `${grouping} ${row.quarterAt}`;
    const period = grouping === 'day' ? dayAt : monthAt;
    const name = periodNames.get(key) ?? period(row.quarterAt, timezone).name;
    periodNames.set(key, name);
    return name;
  };
  const groups = Map.groupBy(rows, (row) =>
    JSON.stringify(by.map((grouping) => nameOf(row, grouping))),
  );
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, some]) => {
      const names = JSON.parse(key) as string[];
      const group = Object.fromEntries(by.map((grouping, index) => [grouping, names[index]]));
      return { ...group, ...sumSpend(some) };
    });
}

export function sumSpend(rows: readonly SpendRow[]): SpendSum {
  const sum = (count: keyof SpendCounts) => rows.reduce((total, row) => total + row[count], 0);
  const { requests, money } = totalSpend(rows);
  const [hits, misses, failed] = [sum('hits'), sum('misses'), sum('failed')];
  return {
    ...{ requests, hits, misses, failed },
    unanswered: requests - hits - misses - failed,
    notCharged: sum('refunded'),
    money: money.map(moneyJson),
  };
}
