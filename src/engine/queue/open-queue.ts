import { type CompanyCall, parseCall } from '../../core/contract/call.ts';
import { laterCandidates } from '../../core/rules/next-candidate.ts';
import { suppressed } from '../../core/rules/row-outcome.ts';
import { pairs } from '../../core/runtime/pairs.ts';
import type { OpenCall } from '../ledger/calls/calls.ts';
import { tryLockJob } from '../ledger/file/locks.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { NewOutcome } from '../ledger/rows/rows.ts';
import { createSpendCounter } from './count-spend.ts';
import { createOutcomeKeeper } from './keep-outcomes.ts';
import {
  type AnswerSource,
  createQueueState,
  noteExpiry,
  operationOf,
  type QueuedRun,
  type QueueState,
  type QueueTerms,
  requireOwned,
} from './queue-state.ts';
import type { Exchange, IdentifiedRow, RunQueue } from './run-queue.ts';
import {
  type CompletedCall,
  completeCalls,
  findOrAddCalls,
  packBodies,
  storeAnswers,
  withoutForgotten,
} from './store-answers.ts';
import { createProbe, type Probe } from './vanished.ts';
import { isBusy } from './while-busy.ts';

/**
 * - If the ledger is busy, a transaction fails before it changes anything, so it can be repeated.
 * - A scan reads open calls in ascending order of id. It misses calls opened meanwhile with lower
 *   ids; the next scan finds them.
 * - A call is leased by one run only; other runs wait for its answer.
 */
export function openQueue(
  ledger: Ledger,
  run: QueuedRun,
  terms: QueueTerms,
  source?: AnswerSource,
): RunQueue {
  const state = createQueueState(ledger, run, terms, source);
  const { counts } = state;
  const scan = beginScan();
  let keep: OutcomeKeeper | undefined;
  let probe: Probe | undefined;
  const runId = run.kind === 'lookup' ? 0 : run.id;
  const spend = terms.spend && createSpendCounter(ledger, terms.spend, { job: terms.job, runId });
  const inTransaction: Ledger['inTransaction'] = (work) =>
    ledger.inTransaction(() => {
      requireOwned(ledger, run);
      return work();
    });

  const reopened = (callIds: Iterable<number>) => {
    for (const callId of callIds) state.leased.delete(callId);
    Object.assign(scan, beginScan());
  };
  return {
    add: async (rows) =>
      inTransaction(() => {
        keep ??= createOutcomeKeeper(state);
        addRows(state, keep, rows);
        ledger.progress.put(run.id, counts, state.freshUntil);
        return structuredClone(counts);
      }),
    async exchange(answers, wanted, charge) {
      const storable = withoutForgotten(state, answers);
      const bodies = packBodies(storable);
      // Answers may open calls that the scan has already passed.
      if (answers.length > 0 && scan.after > 0) scan.mustRepeat = true;
      const { room, spent, leased, reserved } = inTransaction(() => {
        if (charge) spend?.noteAnswers(answers, charge);
        const inFlight = state.leased.size - answers.length;
        const afforded = charge && spend?.roomFor(wanted, inFlight, charge);
        const room = afforded?.calls ?? wanted;
        storeAnswers(state, storable, bodies);
        probe ??= createProbe(state);
        probe.note(answers);
        if (answers.length > 0) ledger.calls.gatherManyAliases();
        const leased = leaseCalls(state, room, scan, probe);
        const { tasks } = leased;
        if (answers.length + tasks.length > 0) {
          const kept = new Set(state.leased.keys());
          for (const { callId } of answers) kept.delete(callId);
          for (const { callId } of tasks) kept.add(callId);
          ledger.calls.setLeased(run.id, [...kept]);
        }
        const operations = tasks.map(({ request }) => operationOf(request));
        const reserved = charge && spend?.reserve(operations, charge);
        ledger.progress.put(run.id, counts, state.freshUntil);
        return { room, spent: afforded?.spent, leased, reserved };
      });
      // Only after the commit: if it fails, the caller repeats the exchange with the same answers.
      for (const { callId } of answers) state.leased.delete(callId);
      const calls = leased.tasks.map((task) => {
        const { callId, request } = task;
        const call = parseCall(request);
        state.leased.set(callId, { ...task, call });
        return { callId, call, hasFailed: task.hasFailed === 1 };
      });
      const probed = probe?.end();
      // During the probe, the scan skipped all other calls, so it starts again.
      if (probed) Object.assign(scan, beginScan());
      const left = probed ? 'unseen' : whatIsLeft(leased, room);
      if (left === 'elsewhere' && state.leased.size === 0) recoverDeadRuns(state, leased.holders);
      return { calls, counts: structuredClone(counts), left, reserved, spent, ...probed };
    },
    reserve: async (operations, charge) =>
      spend
        ? inTransaction(() => spend.reserveUpTo(operations, charge))
        : { granted: operations.length },
    async release(callIds, charge) {
      const kept = new Set(state.leased.keys()).difference(new Set(callIds));
      inTransaction(() => {
        if (charge) spend?.reserveUpTo([], charge);
        ledger.calls.setLeased(run.id, [...kept]);
      });
      reopened(callIds);
    },
    async recover() {
      inTransaction(() => {
        ledger.calls.recover(terms.job);
        ledger.calls.gatherAliases();
      });
      reopened(state.leased.keys());
    },
    counts: async () => structuredClone(counts),
    [Symbol.asyncDispose]: async () => {},
  };
}

function beginScan() {
  return {
    after: 0,
    mustRepeat: false,
    holders: new Set<number>(),
  };
}

const callsInExchange = 500;

/** Call inside a transaction. */
function leaseCalls(
  state: QueueState,
  room: number,
  scan: ReturnType<typeof beginScan>,
  probe: Probe,
) {
  const { ledger, run } = state;
  const leased = new Map<number, OpenCall>();
  const elsewhere = ledger.calls.leasedElsewhere(run.id);
  const limit = room > 0 ? Math.min(room, callsInExchange) : callsInExchange;
  for (let seen = 0; seen < callsInExchange; seen += limit) {
    const open = ledger.calls.listOpenCalls({ runId: run.id, after: scan.after, limit });
    const completed = completeFromCache(
      state,
      open.filter(({ callId }) => !leased.has(callId)),
    );
    if (completed.size > 0) scan.mustRepeat = true;
    for (const callId of completed) probe.noteCached(callId);
    for (const task of open) {
      const { callId } = task;
      scan.after = callId;
      if (completed.has(callId) || probe.postpones(callId)) continue;
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
  const hits = state.source.find(open);
  for (const { callId, request, searchId, page } of open) {
    const hit = hits.get(callId);
    if (!hit) continue;
    const { answer, source } = hit;
    const isPage = searchId !== null && answer.result === 'hit';
    const body = isPage ? state.source.readBody(answer.id) : undefined;
    // A damaged page is fetched again.
    if (isPage && !body) continue;
    const completion = { callId, searchId, page, call: parseCall(request), answer, source, body };
    // One at a time, because a page may contain many people.
    if (searchId === null) lookups.push(completion);
    else completeCalls(state, [completion]);
    noteExpiry(state, hit);
    completed.add(callId);
  }
  if (lookups.length > 0) completeCalls(state, lookups);
  return completed;
}

function whatIsLeft(
  { tasks, isScanned, holders }: ReturnType<typeof leaseCalls>,
  room: number,
): Exchange['left'] {
  // Without room, keep scanning for cached answers.
  if (!isScanned && tasks.length < Math.max(room, 1)) return 'unseen';
  return holders.size > 0 ? 'elsewhere' : 'nothing';
}

function recoverDeadRuns({ ledger, terms }: QueueState, runIds: ReadonlySet<number>) {
  for (const runId of runIds) {
    const job = ledger.runs.get(runId)?.job;
    if (job === undefined || job === terms.job) continue;
    using lock = tryLockJob(terms.ledgerPath, job);
    try {
      if (lock) ledger.inTransaction(() => ledger.calls.recover(job));
    } catch (error) {
      // The next exchange tries again.
      if (!isBusy(error)) throw error;
    }
  }
}

type OutcomeKeeper = ReturnType<typeof createOutcomeKeeper>;

const rowsAtOnce = 500;

function addRows(state: QueueState, keep: OutcomeKeeper, rows: readonly IdentifiedRow[]) {
  const { ledger, run } = state;
  const [first] = rows;
  if (!first) return;
  const rowIds: number[] = [];
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    rowIds.push(...addSome(state, keep, rows.slice(at, at + rowsAtOnce)));
  }
  ledger.lists.addBlock(run.listId, { firstNumber: first.number, rowIds });
}

function addSome(state: QueueState, keep: OutcomeKeeper, rows: readonly IdentifiedRow[]) {
  const { ledger, run, terms, counts } = state;
  const rowIds = ledger.rows.idsOf(terms.job, rows);
  const kept = keep(rows, rowIds);
  const waitingIds: number[] = [];
  const calls: CompanyCall[] = [];
  const outcomes: NewOutcome[] = [];
  for (const [row, rowId] of pairs(rows, rowIds)) {
    if (kept.has(rowId)) continue;
    if (row.reject) outcomes.push({ ...noAnswer, status: 'invalid', rowId, ...row.reject });
    else if (state.isSuppressed(row)) outcomes.push({ ...noAnswer, rowId, ...suppressed });
    else {
      waitingIds.push(rowId);
      calls.push(firstCall(row));
    }
  }
  const callIds = findOrAddCalls(state, calls);
  ledger.outcomes.wait(
    run.id,
    pairs(waitingIds, callIds).map(([rowId, callId]) => ({ rowId, callId, candidateIndex: 0 })),
  );
  ledger.outcomes.put(run.id, outcomes);
  counts.rows.open += waitingIds.length;
  for (const { status } of outcomes) counts.rows[status] += 1;
  return rowIds;
}

const noAnswer = {
  match: null,
  answerId: null,
  callId: null,
  candidateIndex: null,
  isStale: 0,
} as const;

function firstCall({ number, candidates, country }: IdentifiedRow) {
  const [first] = country ? laterCandidates({ country, candidates }) : [];
  if (!first) throw new Error(`row ${number} is not rejected, but has nothing to look up`);
  return first.call;
}
