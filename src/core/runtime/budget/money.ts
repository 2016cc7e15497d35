/** Money is counted in millionths of a unit: whole numbers, so that a sum of prices never drifts. */
export const microsPerUnit = 1_000_000;

/** What the service charges for a request, by its operation. */
export interface Price {
  /** ISO 4217 code, such as AUD. */
  readonly currency: string;
  /** Undefined where it is not set: unknown, and not free. */
  readonly companyMicros?: number | undefined;
  /** For one page of people. */
  readonly peopleMicros?: number | undefined;
  /** Whether only hits are charged, or every answer. */
  readonly charged: 'hits' | 'answers';
}

/** An amount of one currency. */
export interface Money {
  readonly currency: string;
  readonly micros: number;
}

/** Millionths of an amount as it is written in a job file; undefined where it has more decimals. */
export function toMicros(amount: number): number | undefined {
  const micros = Math.round(amount * microsPerUnit);
  return micros / microsPerUnit === amount ? micros : undefined;
}

/** What one request of an operation costs. The currency is empty where that is not set. */
export function priceFor(price: Price | undefined, operation: 'company' | 'people') {
  const each = operation === 'company' ? price?.companyMicros : price?.peopleMicros;
  return { each: each ?? 0, currency: each === undefined ? '' : (price?.currency ?? '') };
}

/** `AUD 1,234.50`: as many decimals as the currency has, and more only where the amount needs them. */
export function formatMoney({ currency, micros }: Money): string {
  return `${currency} ${formatAmount({ currency, micros })}`;
}

/** `AUD 0.36 to 1.20`; one amount where both are the same. */
export function formatMoneyRange(currency: string, least: number, most: number): string {
  const first = formatMoney({ currency, micros: least });
  return least === most ? first : `${first} to ${formatAmount({ currency, micros: most })}`;
}

function formatAmount({ currency, micros }: Money): string {
  // Two for AUD, none for JPY.
  const { maximumFractionDigits: decimals = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const shown = { minimumFractionDigits: decimals, maximumFractionDigits: 6 };
  return (micros / microsPerUnit).toLocaleString('en', shown);
}

/** An amount from JSON. */
export function moneyOf({ currency, amount }: { currency: string; amount: number }): Money {
  return { currency, micros: toMicros(amount) ?? 0 };
}

/** Requests and their price; the currency is empty where it is not set. */
interface Spent {
  readonly requests: number;
  readonly currency: string;
  /** What may be charged, and the part of it that is certain. */
  readonly micros: number;
  readonly charged: number;
}

/** All requests, and one amount for each currency: charged, and possibly charged on top. */
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

/**
 * `AUD 12.40, possibly AUD 0.36 more, and 9 requests whose price is not set`; empty where no price is set.
 * Currencies are not added up.
 */
export function formatSpent(spent: {
  readonly money: readonly Amount[] | Amount | null;
  readonly possibleMoney: readonly Amount[] | Amount | null;
  readonly unpriced: number;
}): string {
  const [certain, possible] = [spent.money, spent.possibleMoney].map((some) =>
    [some ?? []]
      .flat()
      .map((one) => formatMoney(moneyOf(one)))
      .join(' + '),
  );
  if (!certain) return '';
  const more = possible ? `, possibly ${possible} more` : '';
  const { unpriced } = spent;
  if (unpriced === 0) return certain + more;
  const count = unpriced === 1 ? '1 request' : `${unpriced.toLocaleString('en')} requests`;
  const rest = `${count} whose price is not set`;
  const isUnknown = !possible && [spent.money ?? []].flat().every(({ amount }) => amount === 0);
  return isUnknown ? `unknown: ${rest}` : `${certain}${more}, and ${rest}`;
}
