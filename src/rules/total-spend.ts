import type { Money } from '../runtime/budget/money.ts';

/** Requests and what they cost; the currency is empty where there was no price. */
interface Spent {
  readonly requests: number;
  readonly currency: string;
  readonly micros: number;
}

export interface TotalSpend {
  readonly requests: number;
  readonly money: readonly Money[];
}

/** All requests, and one amount for each currency. */
export function totalSpend(rows: readonly Spent[]): TotalSpend {
  const priced = rows.filter(({ currency }) => currency !== '');
  const money = [...Map.groupBy(priced, ({ currency }) => currency)]
    .map(([currency, some]) => ({
      currency,
      micros: some.reduce((total, { micros }) => total + micros, 0),
    }))
    .sort((one, other) => (one.currency < other.currency ? -1 : 1));
  return { requests: rows.reduce((total, { requests }) => total + requests, 0), money };
}
