import { counted } from '../format.ts';
/** Amounts are integers in millionths, because sums of fractions drift. */
export const microsPerUnit = 1_000_000;

export interface Price {
  readonly currency: string;
  /** Undefined means unknown, not free. */
  readonly companyMicros?: number | undefined;
  readonly peopleMicros?: number | undefined;
  /** `hits`: misses are free. */
  readonly charged: 'hits' | 'answers';
}

export interface Money {
  readonly currency: string;
  readonly micros: number;
}

export function toMicros(amount: number): number | undefined {
  const micros = Math.round(amount * microsPerUnit);
  return micros / microsPerUnit === amount ? micros : undefined;
}

export function priceFor(price: Price | undefined, operation: 'company' | 'people') {
  const each = operation === 'company' ? price?.companyMicros : price?.peopleMicros;
  return { each: each ?? 0, currency: each === undefined ? '' : (price?.currency ?? '') };
}

/** `AUD 1,234.50` */
export function formatMoney({ currency, micros }: Money): string {
  return `${currency} ${formatAmount({ currency, micros })}`;
}

/** `AUD 0.36 to 1.20` */
export function formatMoneyRange(currency: string, least: number, most: number): string {
  const first = formatMoney({ currency, micros: least });
  return least === most ? first : `${first} to ${formatAmount({ currency, micros: most })}`;
}

function formatAmount({ currency, micros }: Money): string {
  const { maximumFractionDigits: decimals = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const shown = { minimumFractionDigits: decimals, maximumFractionDigits: 6 };
  return (micros / microsPerUnit).toLocaleString('en', shown);
}

export function moneyOf({ currency, amount }: { currency: string; amount: number }): Money {
  return { currency, micros: toMicros(amount) ?? 0 };
}

interface Spent {
  readonly requests: number;
  readonly currency: string;
  /** `micros` may have been charged; `charged` is the part of it that certainly was. */
  readonly micros: number;
  readonly charged: number;
}

export function totalSpend(rows: readonly Spent[]) {
  const byCurrency = Object.entries(Object.groupBy(rows, ({ currency }) => currency))
    .flatMap(([currency, some = []]) => (currency === '' ? [] : [{ currency, some }]))
    .sort((one, other) => (one.currency < other.currency ? -1 : 1));
  const amounts = (microsOf: (row: Spent) => number) =>
    byCurrency.map(({ currency, some }) => ({
      currency,
      amount: some.reduce((total, row) => total + microsOf(row), 0) / microsPerUnit,
    }));
  const requestsOf = (some: readonly Spent[]) =>
    some.reduce((total, { requests }) => total + requests, 0);
  return {
    requests: requestsOf(rows),
    unpriced: requestsOf(rows.filter(({ currency }) => currency === '')),
    money: amounts(({ charged }) => charged),
    possibleMoney: amounts(({ micros, charged }) => micros - charged).filter(
      ({ amount }) => amount > 0,
    ),
  };
}

type Amount = Parameters<typeof moneyOf>[0];

/** `AUD 12.40, possibly AUD 0.36 more, and 9 requests whose price is not set` */
export function formatSpent(spent: {
  readonly money: readonly Amount[];
  readonly possibleMoney: readonly Amount[];
  readonly unpriced: number;
}): string {
  const [certain, possible] = [spent.money, spent.possibleMoney].map((some) =>
    some.map((one) => formatMoney(moneyOf(one))).join(' + '),
  );
  const more = possible ? `, possibly ${possible} more` : '';
  const { unpriced } = spent;
  if (unpriced === 0) return certain + more;
  const rest = `${counted(unpriced, 'request')} whose price is not set`;
  const isUnknown = !possible && spent.money.every(({ amount }) => amount === 0);
  return isUnknown ? `unknown: ${rest}` : `${certain}${more}, and ${rest}`;
}
