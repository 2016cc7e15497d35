import type { PlanRange } from '../../../../workbench/api/runs.ts';
import { count, duration } from '../../../parts/text/format.ts';

/** `AUD 372.48` */
export function money(currency: string, amount: number): string {
  const digits = amount !== 0 && amount < 0.1 ? 4 : 2;
  return `${currency} ${amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: digits })}`;
}

/** `3,104`, or `3,104 to 9,312` */
export function range({ least, mostIfFull }: PlanRange, text: (value: number) => string = count) {
  return least === mostIfFull ? text(least) : `${text(least)} to ${text(mostIfFull)}`;
}

/** `5 min`, or `5 min to 1 h` */
export function time(seconds: PlanRange): string {
  if (seconds.mostIfFull === 0) return 'none';
  return range(seconds, (value) => duration(value * 1_000));
}
