import { parseCall } from '../contract/call.ts';
import type { OpenCall } from '../ledger/calls/calls.ts';
import { noteExpiry, type QueueState } from './queue-state.ts';
import { type CompletedCall, completeCalls } from './store-answers.ts';

/** How far the open calls were looked at, from one exchange to the next. */
export function beginScan() {
  return {
    /** The open calls up to this id were looked at. */
    after: 0,
    /** Whether calls were completed since the scan began, which may have opened others behind it. */
    hasCompleted: false,
    /** Runs that hold leases on calls which were looked at. */
    holders: new Set<number>(),
  };
}

export type Lease = ReturnType<typeof leaseCalls>;

/** One exchange looks at so many calls at most, so that the process stays responsive. */
const callsInExchange = 500;

/**
 * Goes through the open calls of the run: completes those with a cache hit and leases others while
 * there is room. Runs inside a transaction.
 */
export function leaseCalls(state: QueueState, room: number, scan: ReturnType<typeof beginScan>) {
  const { ledger, run } = state;
  const leased = new Map<number, OpenCall>();
  const elsewhere = ledger.calls.leasedElsewhere(run.id);
  let { holders } = scan;
  const batch = room > 0 ? Math.min(room, callsInExchange) : callsInExchange;
  let isScanned = false;
  for (let seen = 0; seen < callsInExchange && !isScanned; seen += batch) {
    const open = ledger.calls.openCalls({ runId: run.id, after: scan.after, limit: batch });
    const completed = completeFromCache(
      state,
      open.filter(({ callId }) => !leased.has(callId)),
    );
    if (completed.size > 0) scan.hasCompleted = true;
    for (const task of open) {
      scan.after = task.callId;
      if (completed.has(task.callId)) continue;
      const holder = elsewhere.get(task.callId);
      if (holder !== undefined) scan.holders.add(holder);
      else if (leased.size < room) leased.set(task.callId, task);
    }
    isScanned = open.length < batch && !scan.hasCompleted;
    if (open.length < batch) {
      // Completed calls may have opened others behind the scan, so it begins anew.
      holders = scan.holders;
      Object.assign(scan, beginScan());
    }
    if (room > 0 && leased.size === room) break;
  }
  return {
    tasks: [...leased.values()],
    /** Whether every open call was looked at, in this exchange and those before, and none completed. */
    isScanned,
    holders: [...holders, ...scan.holders],
  };
}

/** Completes the open calls that have a cache hit, and gives their ids. */
function completeFromCache(state: QueueState, open: readonly OpenCall[]): Set<number> {
  const completed = new Set<number>();
  if (open.length === 0) return completed;
  const lookups: CompletedCall[] = [];
  const hits = state.source.find(open);
  for (const { callId, request, searchId, page } of open) {
    const hit = hits.get(callId);
    if (!hit) continue;
    const { answer, source } = hit;
    const isPage = searchId !== null && answer.outcome === 'hit';
    const body = isPage ? state.source.readPage(answer.id) : undefined;
    // A page that is damaged is asked for again.
    if (isPage && !body) continue;
    const completion = { callId, searchId, page, call: parseCall(request), answer, source, body };
    // Pages are completed one at a time, since one may hold many people.
    if (searchId === null) lookups.push(completion);
    else completeCalls(state, [completion]);
    noteExpiry(state, hit);
    completed.add(callId);
  }
  if (lookups.length > 0) completeCalls(state, lookups);
  return completed;
}
