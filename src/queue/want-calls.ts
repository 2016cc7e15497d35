import type { CallRequest, CompanyCall } from '../contract/call.ts';
import { keyedCall } from '../ledger/calls/call-key.ts';
import type { QueueState } from './queue-state.ts';

/** The ids of company lookups in their order, for rows that begin to wait for them. */
export function wantLookups(
  { ledger, run, terms, counts }: QueueState,
  lookups: readonly CompanyCall[],
): number[] {
  const callIds = ledger.calls.idsOf(lookups.map((call) => keyedCall(terms.serviceUrl, call)));
  const added = ledger.calls.countNew(run.id, callIds);
  counts.calls.open += added;
  counts.calls.shared += lookups.length - added;
  return callIds;
}

/** Puts a page of a people search into the queue. */
export function wantPage(
  { ledger, run, terms, counts }: QueueState,
  call: CallRequest,
  searchId: number,
  page: number,
): void {
  const [callId = 0] = ledger.calls.idsOf([keyedCall(terms.serviceUrl, call)]);
  const { changes } = ledger.calls.waitForPage({ runId: run.id, callId, searchId, page });
  counts.calls.open += changes;
}
