import type { Amount } from '../../../workbench/api/place.ts';

/** `AUD 14.40`, one text for each currency. */
export function amounts(money: readonly Amount[]): string[] {
  return money.map(({ amount, currency }) => `${currency} ${amount.toFixed(2)}`);
}
