import { type CallRequest, type CompanyCall, parseCall } from '../contract/call.ts';
import { tryLockJob } from '../ledger/file/locks.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { NewOutcome } from '../ledger/rows/outcomes.ts';
import { type AnswerSource, ownAnswers } from './answer-source.ts';
import { openStandingOutcomes } from './kept/standing-outcomes.ts';
import { beginScan, type Lease, leaseCalls } from './lease-calls.ts';
import {
  copyCounts,
  openQueueState,
  type QueuedRun,
  type QueueState,
  type QueueTerms,
  requireOwned,
} from './queue-state.ts';
import type { Answer, Exchange, IdentifiedRow, RunQueue } from './run-queue.ts';
import { openSpendCounter } from './spend/count-spend.ts';
import { packAnswers, storeAnswers, wantLookups } from './store-answers.ts';
import { isHeld } from './trouble/while-held.ts';

/** Opens the queue of a run in this thread. `source` is where cache hits come from. */
export function openQueue(
  ledger: Ledger,
  run: QueuedRun,
  terms: QueueTerms,
  source: AnswerSource = ownAnswers(ledger, run, terms),
): RunQueue {
  const state = openQueueState(ledger, run, terms, source);
  const { counts } = state;
  const scan = beginScan();
  let keep: Keep | undefined;
  const spend =
    terms.spend && openSpendCounter(ledger, terms.spend, { job: terms.job, runId: run.id });
  /** Every transaction checks the owner first: another process may have taken the run. */
  const together: Ledger['together'] = (work) =>
    ledger.together(() => {
      requireOwned(ledger, run);
      return work();
    });

  /** The calls with these ids are open again, perhaps behind the place where the scan stands. */
  const reopened = (callIds: Iterable<number>) => {
    for (const callId of callIds) state.leased.delete(callId);
    Object.assign(scan, beginScan());
  };
  return {
    add: async (rows) =>
      ledger.provisionally(() => {
        requireOwned(ledger, run);
        keep ??= openStandingOutcomes(state);
        addRows(state, keep, rows);
        ledger.progress.put(run.id, counts, state.freshUntil);
        return copyCounts(counts);
      }),
    async exchange(answers, wanted, charge) {
      const packed = packAnswers(answers);
      // Answers may open calls behind the place where the scan stands.
      if (answers.length > 0 && scan.after > 0) scan.hasCompleted = true;
      let room = wanted;
      let spent: Exchange['spent'];
      let quarterAt: number | undefined;
      const leased = together(() => {
        const inFlight = state.leased.size - answers.length;
        if (spend && charge) {
          spend.noteAnswers(withOperations(state, answers), charge);
          ({ calls: room, spent } = spend.roomFor(wanted, inFlight, charge));
        }
        storeAnswers(state, packed);
        if (answers.length > 0) ledger.calls.gatherManyAliases();
        const taken = leaseCalls(state, room, scan);
        const kept = new Set(state.leased.keys());
        for (const { callId } of answers) kept.delete(callId);
        if (kept.size < state.leased.size || taken.tasks.length > 0) {
          const added = taken.tasks.map(({ callId }) => callId);
          ledger.calls.setLeased(run.id, [...kept, ...added]);
        }
        if (spend && charge) quarterAt = spend.reserve(operationsOf(taken.tasks), charge);
        ledger.progress.put(run.id, counts, state.freshUntil);
        return taken;
      });
      // After the commit: where it fails, the same answers may be stored again.
      for (const { callId } of answers) state.leased.delete(callId);
      const calls = leased.tasks.map((task) => {
        const { callId, request } = task;
        const call = parseCall(request);
        state.leased.set(callId, { ...task, call });
        return { callId, call, hasFailed: task.hasFailed === 1 };
      });
      const left = whatIsLeft(leased, room);
      if (left === 'elsewhere' && state.leased.size === 0) recoverDeadRuns(state, leased.holders);
      return {
        calls,
        counts: copyCounts(counts),
        left,
        ...(quarterAt !== undefined && { quarterAt }),
        ...(spent && { spent }),
      };
    },
    reserve: async (operations, charge) =>
      spend
        ? together(() => spend.reserveUpTo(operations, charge))
        : { granted: operations.length },
    async release(callIds) {
      const kept = new Set(state.leased.keys()).difference(new Set(callIds));
      together(() => ledger.calls.setLeased(run.id, [...kept]));
      reopened(callIds);
    },
    async recover() {
      together(() => {
        ledger.calls.recover(terms.job);
        ledger.calls.gatherAliases();
      });
      reopened(state.leased.keys());
    },
    counts: async () => copyCounts(counts),
    [Symbol.asyncDispose]: async () => {},
  };
}

function operationsOf(tasks: Lease['tasks']): CallRequest['operation'][] {
  return tasks.map(({ request }) => (request.startsWith('people?') ? 'people' : 'company'));
}

function withOperations({ leased }: QueueState, answers: readonly Answer[]) {
  return answers.flatMap(({ callId, outcome, isFree }) => {
    const operation = leased.get(callId)?.call.operation;
    return operation === undefined || isFree ? [] : [{ operation, kind: outcome.kind }];
  });
}

function whatIsLeft({ tasks, isScanned, holders }: Lease, room: number): Exchange['left'] {
  // A full lease waits for answers; without room, the scan goes on for cache hits.
  if (!isScanned && tasks.length < Math.max(room, 1)) return 'unseen';
  return holders.length > 0 ? 'elsewhere' : 'nothing';
}

/** Opens the leases of runs of other jobs whose process died before the answer came. */
function recoverDeadRuns({ ledger, terms }: QueueState, runIds: readonly number[]): void {
  for (const runId of runIds) {
    const other = ledger.runs.get(runId);
    if (!other || other.job === terms.job) continue;
    using lock = tryLockJob(terms.ledgerPath, other.job);
    if (lock) recoverIfFree(ledger, other.job);
  }
}

/** Passes over a held ledger: the exchange is committed, and the next one tries this again. */
function recoverIfFree(ledger: Ledger, job: string): void {
  try {
    ledger.together(() => ledger.calls.recover(job));
  } catch (error) {
    if (!isHeld(error)) throw error;
  }
}

type Keep = ReturnType<typeof openStandingOutcomes>;

/** What is read of earlier runs for so many rows at once takes little memory. */
const rowsAtOnce = 500;

/** Puts rows on the list of the run, which keeps them in one block. */
function addRows(state: QueueState, keep: Keep, rows: readonly IdentifiedRow[]): void {
  const { ledger, run } = state;
  const [first] = rows;
  if (!first) return;
  const rowIds: number[] = [];
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    rowIds.push(...addSome(state, keep, rows.slice(at, at + rowsAtOnce)));
  }
  ledger.lists.addBlock(run.listId, { firstNumber: first.number, rowIds });
}

/**
 * A row whose outcome in the last run still stands costs no more than that; a rejected row ends at once; the
 * others wait for the calls of their first candidates. Gives the ids of the rows.
 */
function addSome(state: QueueState, keep: Keep, rows: readonly IdentifiedRow[]): number[] {
  const { ledger, run, terms, counts } = state;
  const rowIds = ledger.rows.idsOf(terms.job, rows);
  const kept = keep(rows, rowIds);
  const asking: number[] = [];
  const calls: CompanyCall[] = [];
  const rejected: NewOutcome[] = [];
  for (const [index, row] of rows.entries()) {
    const rowId = rowIds[index] ?? 0;
    if (kept.has(rowId)) continue;
    if (row.reject) rejected.push({ ...noAnswer, rowId, ...row.reject });
    else {
      asking.push(rowId);
      calls.push(firstCall(row));
    }
  }
  const callIds = wantLookups(state, calls);
  ledger.outcomes.wait(
    run.id,
    asking.map((rowId, index) => ({ rowId, callId: callIds[index] ?? 0, place: 0 })),
  );
  ledger.outcomes.put(run.id, rejected);
  counts.rows.open += asking.length;
  counts.rows.invalid += rejected.length;
  return rowIds;
}

const noAnswer = {
  status: 'invalid',
  match: null,
  answerId: null,
  callId: null,
  place: null,
  isStale: 0,
} as const;

function firstCall({ number, candidates, country }: IdentifiedRow): CompanyCall {
  const [candidate] = candidates;
  if (!candidate || !country)
    throw new Error(`row ${number} is neither rejected nor asks anything`);
  const [kind, value] = candidate;
  return { operation: 'company', identifier: { kind, value }, country };
}
