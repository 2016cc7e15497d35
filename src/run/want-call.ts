import type { CallRequest, CompanyCall } from '../contract/call.ts';
import { keyedCall } from '../ledger/call-key.ts';
import type { RunContext } from './run-context.ts';

/** Puts a call on the run's list, unless it is there already. The id of the call is given back. */
export function wantCall(
  { ledger, run, job, counts, askedKinds }: RunContext,
  call: CallRequest,
  search?: { id: number; page: number },
): number {
  if (call.operation === 'company') askedKinds.add(call.identifier.kind);
  const callId = ledger.calls.idOf(keyedCall(job.service.url, call));
  if (ledger.calls.want(run.id, callId, search)) counts.calls.open += 1;
  return callId;
}

/** The same for many lookups, in their order. */
export function wantCalls(
  { ledger, run, job, counts, askedKinds }: RunContext,
  calls: readonly CompanyCall[],
): number[] {
  for (const { identifier } of calls) askedKinds.add(identifier.kind);
  const callIds = ledger.calls.idsOf(calls.map((call) => keyedCall(job.service.url, call)));
  counts.calls.open += ledger.calls.wantAll(run.id, callIds);
  return callIds;
}
