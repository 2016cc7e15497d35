import { operationOf, parseCall } from '../../core/contract/call.ts';
import type { OpenCall } from '../ledger/calls/open-calls.ts';
import { type CompletedCall, completeCalls } from './complete-calls.ts';
import type { SpendUpdate } from './count-spend.ts';
import type { Recheck } from './misses/recheck.ts';
import { noteExpiry, type QueueState } from './queue-state.ts';
import type { Exchange, Room } from './run-queue.ts';

/** Where the search for open calls of a service stands. */
interface Scan {
  after: number;
  mustRepeat: boolean;
  readonly holders: Set<number>;
}

export function beginScan(): Scan {
  return { after: 0, mustRepeat: false, holders: new Set() };
}

const callsInExchange = 500;

/**
 * Services may share a budget, so each reserves its requests before the next asks for its room.
 * Call inside a transaction.
 */
export function leaseCalls(
  state: QueueState,
  scans: readonly Scan[],
  recheck: Recheck,
  rooms: readonly Room[],
  inFlight: readonly number[],
  update: SpendUpdate | undefined,
) {
  const { ledger, run, services } = state;
  const elsewhere = ledger.calls.leasedElsewhere(run.id);
  const ofService = services.list.map((service) => {
    const { index } = service;
    const wanted = rooms[index] ?? 0;
    if (wanted === 'skip') return nothingLeased;
    const spend = state.spends[index];
    const affordable = update && spend?.roomFor(wanted, inFlight[index] ?? 0, update);
    const { calls: room, spent } = affordable ?? { calls: wanted };
    const scan = scans[index] as Scan;
    const leased = leaseSome(state, room, scan, recheck, elsewhere, services.idOf(service));
    const { isScanned, tasks } = leased;
    const operations = tasks.map(({ text }) => operationOf(text));
    const reservedQuarterAt = update && spend?.reserve(operations, update);
    const isFull = tasks.length >= Math.max(room, 1);
    const scanned = { isSeen: isScanned || isFull, hasNothingToLease: isScanned && !isFull };
    return { ...leased, ...scanned, spent, reservedQuarterAt };
  });
  const holders = new Set(ofService.flatMap((one) => [...one.holders]));
  // Without room, keep scanning for cached answers.
  const whenSeen = holders.size > 0 ? 'elsewhere' : 'none';
  const openCalls: Exchange['openCalls'] = ofService.every(({ isSeen }) => isSeen)
    ? whenSeen
    : 'unseen';
  return {
    ofService,
    tasks: ofService.flatMap(({ tasks }) => tasks),
    holders,
    openCalls,
    spent: ofService.flatMap(({ spent }) => spent ?? [])[0],
    // The same for all services.
    reservedQuarterAt: ofService.flatMap((one) => one.reservedQuarterAt ?? [])[0],
  };
}

const nothingLeased = {
  tasks: [],
  isScanned: true,
  holders: new Set<number>(),
  spent: undefined,
  reservedQuarterAt: undefined,
  isSeen: true,
  hasNothingToLease: true,
} as const;

function leaseSome(
  state: QueueState,
  room: number,
  scan: Scan,
  recheck: Recheck,
  elsewhere: ReadonlyMap<number, number>,
  serviceId: number,
) {
  const { ledger, run } = state;
  const leased = new Map<number, OpenCall>();
  const limit = room > 0 ? Math.min(room, callsInExchange) : callsInExchange;
  for (let seen = 0; seen < callsInExchange; seen += limit) {
    const page = { runId: run.id, after: scan.after, limit, serviceId };
    const open = ledger.calls.listOpenCalls(page);
    const completed = completeFromCache(
      state,
      open.filter(({ callId }) => !leased.has(callId)),
    );
    if (completed.size > 0) scan.mustRepeat = true;
    for (const callId of completed) recheck.noteCached(callId);
    for (const task of open) {
      const { callId } = task;
      scan.after = callId;
      if (completed.has(callId) || recheck.postpones(callId)) continue;
      const holder = elsewhere.get(callId);
      if (holder !== undefined) scan.holders.add(holder);
      else if (leased.size < room) leased.set(callId, task);
    }
    if (open.length < limit) {
      const { mustRepeat, holders } = scan;
      Object.assign(scan, beginScan());
      if (!mustRepeat) return { tasks: [...leased.values()], isScanned: true, holders };
    }
    if (room > 0 && leased.size === room) break;
  }
  return { tasks: [...leased.values()], isScanned: false, holders: scan.holders };
}

function completeFromCache(state: QueueState, open: readonly OpenCall[]): Set<number> {
  const completed = new Set<number>();
  if (open.length === 0) return completed;
  const lookups: CompletedCall[] = [];
  const hits = state.cache.find(open);
  for (const task of open) {
    const { callId, text, searchId, page } = task;
    const hit = hits.get(callId);
    if (!hit) continue;
    const { answer, source } = hit;
    const isPage = searchId !== null && answer.result === 'hit';
    const body = isPage ? state.cache.readBody(answer.id) : undefined;
    // A damaged page is fetched again.
    if (isPage && !body) continue;
    const call = parseCall(text);
    const serviceIndex = state.services.ofCall(task).index;
    const completion = { callId, searchId, page, call, serviceIndex, answer, source, body };
    // One at a time, because a page may contain many people.
    if (searchId === null) lookups.push(completion);
    else completeCalls(state, [completion]);
    noteExpiry(state, hit);
    completed.add(callId);
  }
  if (lookups.length > 0) completeCalls(state, lookups);
  return completed;
}
