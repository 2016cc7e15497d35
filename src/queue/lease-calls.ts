import { parseCall } from '../contract/call.ts';
import type { OpenCall } from '../ledger/calls/run-calls.ts';
import type { CachedAnswer } from './answer-source.ts';
import { completeCalls } from './complete-calls.ts';
import { type CompletedCall, completedLookup, completedPage } from './completed-call.ts';
import { noteExpiry, type QueueState } from './queue-state.ts';

/** How far the open calls were looked at, from one exchange to the next. */
export interface Scan {
  /** The open calls up to this id were looked at. */
  after: number;
  /** Whether calls were completed since the scan began, which may have opened others behind it. */
  hasCompleted: boolean;
  /** Runs that hold leases on calls which were looked at. */
  holders: Set<number>;
}

export function beginScan(): Scan {
  return { after: 0, hasCompleted: false, holders: new Set() };
}

export interface Lease {
  readonly tasks: readonly OpenCall[];
  /** Whether every open call was looked at, in this exchange and those before, and none completed. */
  readonly isScanned: boolean;
  readonly holders: readonly number[];
}

/** One exchange looks at so many calls at most, so that the process stays responsive. */
const callsInExchange = 500;

/**
 * Goes through the open calls of the run: completes those with a cache hit and leases others while
 * there is room. Runs inside a transaction.
 */
export function leaseCalls(state: QueueState, room: number, scan: Scan): Lease {
  const { ledger, run } = state;
  const leased: OpenCall[] = [];
  let { holders } = scan;
  const batch = room > 0 ? Math.min(room, callsInExchange) : callsInExchange;
  let isScanned = false;
  for (let seen = 0; seen < callsInExchange && !isScanned; seen += batch) {
    const open = ledger.calls.openCalls(run.id, scan.after, batch);
    const completed = completeFromCache(state, open);
    if (completed.size > 0) scan.hasCompleted = true;
    const taken: OpenCall[] = [];
    for (const task of open) {
      scan.after = task.callId;
      if (completed.has(task.callId)) continue;
      if (task.leasedBy !== null) scan.holders.add(task.leasedBy);
      else if (leased.length + taken.length < room) taken.push(task);
    }
    ledger.calls.lease(
      run.id,
      taken.map(({ callId }) => callId),
    );
    leased.push(...taken);
    const isFull = room > 0 && leased.length === room;
    isScanned = open.length < batch && !scan.hasCompleted;
    if (open.length < batch) {
      // Completed calls may have opened others behind the scan, so it begins anew.
      holders = scan.holders;
      Object.assign(scan, beginScan());
    }
    if (isFull) break;
  }
  return { tasks: leased, isScanned, holders: [...holders, ...scan.holders] };
}

/** Completes the open calls that have a cache hit, and gives their ids. */
function completeFromCache(state: QueueState, open: readonly OpenCall[]): Set<number> {
  const completed = new Set<number>();
  const lookups: CompletedCall[] = [];
  const hits = open.length === 0 ? noHits : state.source.find(open);
  for (const task of open) {
    const cached = hits.get(task.callId);
    if (!cached) continue;
    const call = parseCall(task.request);
    if (call.operation === 'company') lookups.push(completedLookup(task.callId, call, cached));
    else if (!completePage(state, task, cached)) continue;
    noteExpiry(state, cached);
    completed.add(task.callId);
  }
  completeCalls(state, lookups);
  return completed;
}

const noHits: ReadonlyMap<number, CachedAnswer> = new Map();

/** Completes pages one at a time, since a page may hold many people. False where it is damaged. */
function completePage(state: QueueState, task: OpenCall, cached: CachedAnswer): boolean {
  const isHit = cached.answer.outcome === 'hit';
  const body = isHit ? state.source.readPage(cached.answer.id) : undefined;
  if (isHit && !body) return false;
  completeCalls(state, [completedPage(task, cached, body)]);
  return true;
}
