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

function decimalsOf(currency: string) {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** To cents, or to the digit of the finest price: a guess of `AUD 2.998763` looks exact. */
export function roundMicros(micros: number, currency: string, prices: readonly number[]): number {
  let unit = microsPerUnit / 10 ** decimalsOf(currency);
  while (prices.some((each) => each % unit !== 0)) unit /= 10;
  return Math.round(micros / unit) * unit;
}

/** `AUD 1,234.50` */
export function formatMoney(currency: string, amount: number): string {
  const digits = { minimumFractionDigits: decimalsOf(currency), maximumFractionDigits: 6 };
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

/** `AUD 0.12 a company, also if none is found; AUD 0.05 a page of people, also if it is empty` */
export function priceTerms(price: Price | undefined, hasPeople: boolean): string {
  if (!price) return '';
  const isForHits = price.charged === 'hits';
  const parts = [
    [price.companyMicros, `a company, ${isForHits ? 'only if it' : 'also if none'} is found`],
    [
      hasPeople ? price.peopleMicros : undefined,
      `a page of people, ${isForHits ? 'only if it is not' : 'also if it is'} empty`,
    ],
  ] as const;
  const shown = parts.flatMap(([each, terms]) =>
    each ? `${formatMoney(price.currency, each / microsPerUnit)} ${terms}` : [],
  );
  return shown.join('; ') || priceText(price);
}

export interface Spent {
  readonly service?: string | null;
  readonly requests: number;
  readonly currency: string;
  /** `micros` may have been charged; `charged` is the part of it that certainly was. */
  readonly micros: number;
  readonly charged: number;
  /** The part of `charged` for misses. */
  readonly misspent: number;
  readonly operation: 'company' | 'people';
  /** Of people: empty pages. */
  readonly misses: number;
}

export function totalSpend(rows: readonly Spent[]) {
  const byCurrency = Object.entries(Object.groupBy(rows, ({ currency }) => currency))
    .flatMap(([currency, some = []]) => (currency === '' ? [] : [{ currency, some }]))
    .sort((one, other) => (one.currency < other.currency ? -1 : 1));
  const amounts = (microsOf: (row: Spent) => number) =>
    byCurrency.map(({ currency, some }) => ({
      currency,
      amount: Math.round(some.reduce((total, row) => total + microsOf(row), 0)) / microsPerUnit,
    }));
  const requestsOf = (some: readonly Spent[]) =>
    some.reduce((total, { requests }) => total + requests, 0);
  return {
    requests: requestsOf(rows),
    unpriced: requestsOf(rows.filter(({ currency }) => currency === '')),
    money: amounts(({ charged }) => charged),
    missMoney: amounts(({ misspent }) => misspent).filter(({ amount }) => amount > 0),
    possibleMoney: amounts(({ micros, charged }) => micros - charged).filter(
      ({ amount }) => amount > 0,
    ),
  };
}

/** `AUD 1.20 + USD 0.30`; empty if nothing was paid. */
export function formatPaid(money: readonly Money[]): string {
  const paid = money.filter(({ amount }) => amount > 0);
  return paid.map(({ currency, amount }) => formatMoney(currency, amount)).join(' + ');
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
  /** Of a run: calls of one that is running still wait for their answers. */
  readonly state?: string | null;
}): string {
  const [certain, possible] = [spent.money, spent.possibleMoney].map((some) =>
    some.map(({ currency, amount }) => formatMoney(currency, amount)).join(' + '),
  );
  const more = spent.state === 'running' ? `${possible} in flight` : `possibly ${possible} more`;
  const priced = possible ? `${certain}, ${more}` : certain;
  if (spent.unpriced === 0) return priced ?? '';
  const unpriced = `${counted(spent.unpriced, 'call')}, price not set`;
  const isUnknown = !possible && spent.money.every(({ amount }) => amount === 0);
  return isUnknown ? unpriced : `${priced}, and ${unpriced}`;
}
