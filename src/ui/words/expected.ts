import { counted, formatNumber } from '../../core/values/format.ts';
import { formatMoney } from '../../core/values/money.ts';
import type { PlanJson } from '../../facts/plan.ts';

export const unknownYet = 'no history yet';

/** `no history yet; at least 58 calls, AUD 5.80, and 3 more for each company found` */
export function leastText({ calls, price }: Pick<PlanJson, 'calls' | 'price'>): string {
  const { certain, perFound } = calls;
  if (certain === 0) return unknownYet;
  const money = price?.certain ? `, ${formatMoney(price.currency, price.certain)}` : '';
  const more = perFound > 0 ? `, and ${formatNumber(perFound)} more for each company found` : '';
  return `${unknownYet}; at least ${counted(certain, 'call')}${money}${more}`;
}
