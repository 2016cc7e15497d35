import type { Spent } from '../../../workbench/api/lists.ts';
import { counted } from '../../parts/text/format.ts';

/** `AUD 12.40, possibly AUD 0.36 more`; the number of requests where no price is set. */
export function spentText({ money, possibleMoney, requests, unpriced }: Spent): string {
  const amounts = (some: Spent['money']) =>
    some.map(({ amount, currency }) => `${currency} ${amount.toFixed(2)}`).join(' + ');
  if (money.length === 0) return counted(requests, 'request', 'requests');
  const more = possibleMoney.length === 0 ? '' : `, possibly ${amounts(possibleMoney)} more`;
  const rest = counted(unpriced, 'request', 'requests');
  return `${amounts(money)}${more}${unpriced > 0 ? `, and ${rest} whose price is not set` : ''}`;
}
