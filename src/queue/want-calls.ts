import type { CallRequest, CompanyCall } from '../contract/call.ts';
import { keyedCall } from '../ledger/calls/call-key.ts';
import type { QueueState } from './queue-state.ts';

type Wanting = Pick<QueueState, 'ledger' | 'run' | 'terms' | 'counts'>;

/** Puts company lookups into the queue, each once, and gives the ids of their calls in order. */
export function wantLookups(
  { ledger, run, terms, counts }: Wanting,
  lookups: readonly CompanyCall[],
): number[] {
  const callIds = ledger.calls.idsOf(lookups.map((call) => keyedCall(terms.serviceUrl, call)));
  const added = ledger.calls.want(run.id, callIds);
  counts.calls.open += added;
  counts.calls.shared += lookups.length - added;
  return callIds;
}

/** Puts a page of a people search into the queue. */
export function wantPage(
  { ledger, run, terms, counts }: Wanting,
  call: CallRequest,
  search: { readonly id: number; readonly page: number },
): void {
  const callIds = ledger.calls.idsOf([keyedCall(terms.serviceUrl, call)]);
  counts.calls.open += ledger.calls.want(run.id, callIds, search);
}
