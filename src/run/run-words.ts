import {
  type ChangeCounts,
  type ChangeOp,
  everyChangeOp,
} from '../core/columns/compare-records.ts';
import { counted, formatNumber, listed } from '../core/values/format.ts';
import { formatPaid, formatSpent } from '../core/values/money.ts';
import type { RunFacts } from './run-schemas.ts';

/** What a run did, in the words of the terminal, chats and the report. */

/** `62 found, 3 not found, 2 of them stale` */
export function outcomesText({ total: _, matched: found, not_found, ...rows }: RunFacts['rows']) {
  const { stale, ...others } = rows;
  return listed({ found, 'not found': not_found, ...others, 'of them stale': stale });
}

/** `60 made, 5 saved (5 with the same identifier), 1 failed, at least 9 more needed` */
export function callsText(calls: RunFacts['calls']): string {
  const { made, saved, failed, open } = calls;
  const parts = [
    `${formatNumber(made)} made`,
    `${formatNumber(saved)} saved${saved > 0 ? ` (${savedCalls(calls)})` : ''}`,
    listed({ failed }),
    // Their answers may make further calls necessary.
    open > 0 && `at least ${formatNumber(open)} more needed`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** In the words of `plan`. */
export function savedCalls({ shared, reused, joined }: RunFacts['calls']): string {
  return listed({
    'with the same identifier': shared,
    'already answered': reused + joined,
    'of them by another identifier': joined,
  });
}

/** `AUD 7.20, for 60 calls`; empty if nothing was charged. `ended`: calls made and failed. */
export function costText(
  spent: Parameters<typeof formatSpent>[0] & { readonly requests: number },
  ended: number,
): string {
  const amount = formatSpent(spent);
  const more = spent.requests > ended ? ' with retries and unanswered ones' : '';
  return spent.money.length > 0
    ? `${amount}, for ${counted(spent.requests, 'call')}${more}`
    : amount;
}

/** In the order in which they are asked. Empty for one service. Pages of people are no companies found. */
export function serviceRows(services: RunFacts['services'] = {}, hasPeople = false) {
  return Object.entries(services).map(([name, { made, hits, misses, failed, ...paid }]) => {
    const answered = hasPeople ? 'with an answer' : 'found';
    const ended = listed({ [answered]: hits, 'not found': misses, failed });
    const [all, missed] = [formatPaid(paid.money), formatPaid(paid.missMoney)];
    const forMisses = missed === '' ? '' : `, ${missed === all ? 'all' : missed} for misses`;
    const cost = all + forMisses;
    const calls = formatNumber(made) + (ended && `: ${ended}`);
    return [name, cost === '' ? calls : `${calls}; ${cost}`] as const;
  });
}

/** Singular and plural, for `counted`. */
export const runNouns = {
  stale: ['row shows an older answer', 'rows show older answers'],
  failedSearches: ['people search failed', 'people searches failed'],
  incompleteSearches: [
    'people search may have left people out',
    'people searches may have left people out',
  ],
  possiblyCharged: [
    'call may have been charged without an answer, if it was sent',
    'calls may have been charged without an answer, if they were sent',
  ],
} as const;

const plurals = { row: 'rows', company: 'companies', person: 'people' };

export function changeText(op: ChangeOp, number: number): string {
  if (op === 'service_changed') return `${counted(number, 'row')} of another service`;
  // Also a row without a company, such as one with another reason.
  if (op === 'company_changed') return `${counted(number, 'row')} changed`;
  const [noun, verb] = op.split('_') as [keyof typeof plurals, string];
  return `${counted(number, noun, plurals[noun])} ${verb}`;
}

/** `5 rows added, 1 company found`, or `none`. */
export function changesText(counts: ChangeCounts): string {
  const some = everyChangeOp.flatMap((op) => (counts[op] ? changeText(op, counts[op]) : []));
  return some.join(', ') || 'none';
}
