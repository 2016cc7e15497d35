/** Money is counted in millionths of a unit: whole numbers, so that a sum of prices never drifts. */
export const microsPerUnit = 1_000_000;

/** What the service charges for a request, by its operation. */
export interface Price {
  /** ISO 4217 code, such as AUD. */
  readonly currency: string;
  readonly companyMicros: number;
  /** For one page of people. */
  readonly peopleMicros: number;
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

/** What one request of an operation costs. */
export function microsFor(price: Price, operation: 'company' | 'people'): number {
  return operation === 'company' ? price.companyMicros : price.peopleMicros;
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
  const size = Math.abs(micros);
  const whole = Math.floor(size / microsPerUnit).toLocaleString('en');
  const decimals = String(size % microsPerUnit).padStart(6, '0');
  const needed = decimals.replace(/0+$/, '').length;
  const shown = decimals.slice(0, Math.max(needed, decimalsOf(currency)));
  return `${micros < 0 ? '-' : ''}${whole}${shown === '' ? '' : `.${shown}`}`;
}

/** Two for AUD, none for JPY. */
function decimalsOf(currency: string): number {
  const { maximumFractionDigits } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return maximumFractionDigits ?? 2;
}

/** An amount for JSON. The number prints as the decimals that it stands for. */
export function moneyJson({ currency, micros }: Money): { currency: string; amount: number } {
  return { currency, amount: micros / microsPerUnit };
}

/** The inverse of `moneyJson`. */
export function moneyOf({ currency, amount }: { currency: string; amount: number }): Money {
  return { currency, micros: toMicros(amount) ?? 0 };
}

/** `AUD 14.40 + USD 2.00`: amounts of several currencies are not added up. */
export function formatMonies(monies: readonly Money[]): string {
  return monies.map(formatMoney).join(' + ');
}
