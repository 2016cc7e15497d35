import { counted } from './format.ts';
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

export function toMicros(amount: number): number | undefined {
  const micros = Math.round(amount * microsPerUnit);
  return micros / microsPerUnit === amount ? micros : undefined;
}

/** `0,12` and `0.12` are the same. `1,234` could mean two amounts, so it is undefined. */
export function readAmount(text: string): number | undefined {
  const grouped = /^\d{1,3}(?:,\d{3})+\.\d+$|^\d{1,3}(?:,\d{3}){2,}$/.test(text);
  const isPlain = /^\d+(?:\.\d+|,\d{1,2}|,\d{4,})?$/.test(text);
  if (!grouped && !isPlain) return undefined;
  return Number(grouped ? text.replaceAll(',', '') : text.replace(',', '.'));
}

export function priceFor(price: Price | undefined, operation: 'company' | 'people') {
  const each = operation === 'company' ? price?.companyMicros : price?.peopleMicros;
  return { each: each ?? 0, currency: each === undefined ? '' : (price?.currency ?? '') };
}

/** `AUD 1,234.50` */
export function formatMoney(currency: string, amount: number): string {
  const { maximumFractionDigits: decimals = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: 6 };
  return `${currency} ${amount.toLocaleString('en', digits)}`;
}

export function moneyOrFree(currency: string, amount: number): string {
  return amount === 0 ? 'free' : formatMoney(currency, amount);
}

/** What a lookup costs. */
export function priceText(price: Price | undefined): string {
  if (price?.companyMicros === undefined) return 'one lookup, price not set';
  return moneyOrFree(price.currency, price.companyMicros / microsPerUnit);
}

export interface Spent {
  readonly service?: string | null;
  readonly requests: number;
  readonly currency: string;
  /** `micros` may have been charged; `charged` is the part of it that certainly was. */
  readonly micros: number;
  readonly charged: number;
  /** The part of `charged` for misses. */
  readonly missed?: number;
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

interface Money {
  readonly currency: string;
  readonly amount: number;
}

/** `AUD 12.40, possibly AUD 0.36 more, and 9 calls, price not set` */
export function formatSpent(spent: {
  readonly money: readonly Money[];
  readonly possibleMoney: readonly Money[];
  readonly unpriced: number;
}): string {
  const [certain, possible] = [spent.money, spent.possibleMoney].map((some) =>
    some.map(({ currency, amount }) => formatMoney(currency, amount)).join(' + '),
  );
  const priced = possible ? `${certain}, possibly ${possible} more` : certain;
  if (spent.unpriced === 0) return priced ?? '';
  const unpriced = `${counted(spent.unpriced, 'call')}, price not set`;
  const isUnknown = !possible && spent.money.every(({ amount }) => amount === 0);
  return isUnknown ? unpriced : `${priced}, and ${unpriced}`;
}
