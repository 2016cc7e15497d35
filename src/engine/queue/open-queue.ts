import { parseCall } from '../../core/contract/call.ts';
import { nextCandidate } from '../../core/rules/next-candidate.ts';
import { notTaken, suppressed } from '../../core/rules/row-outcome.ts';
import { pairs } from '../../core/values/pairs.ts';
import type { OpenCall } from '../ledger/calls/open-calls.ts';
import { tryLockJob } from '../ledger/file/locks.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { NewOutcome } from '../ledger/rows/outcomes.ts';
import type { AskedServices } from './asked-services.ts';
import {
  continueReadyRows,
  endRows,
  type RowAndCandidate,
  waitForCandidates,
} from './complete-calls.ts';
import type { SpendUpdate } from './count-spend.ts';
import { beginScan, leaseCalls } from './lease-calls.ts';
import type { History } from './misses/history.ts';
import { createRecheck, type Recheck } from './misses/recheck.ts';
import { createQueueState, type QueueState } from './queue-state.ts';
import { type QueuedRun, type QueueTerms, requireOwned } from './queue-terms.ts';
import { packBodies, readAnswers } from './read-answers.ts';
import { type AnswerCache, findFreshHit } from './reuse/answer-cache.ts';
import { createOutcomeKeeper, type OutcomeKeeper } from './reuse/keep-outcomes.ts';
import type { Answer, IdentifiedRow, LeasedCall, RunQueue } from './run-queue.ts';
import { storeAnswers } from './store-answers.ts';
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
  {
    services,
    cache,
    history,
    keeper = createOutcomeKeeper,
    rowIdsOf = ledger.rows.idsOf,
  }: QueueParts = {},
): RunQueue {
  const state = createQueueState(ledger, run, terms, services, cache, history);
  const { counts, spends } = state;
  const scans = state.services.list.map(beginScan);
  let keep: OutcomeKeeper | undefined;
  let recheck: Recheck | undefined;
  const inTransaction: Ledger['inTransaction'] = (work) =>
    ledger.inTransaction(() => {
      requireOwned(ledger, run);
      return work();
    });

  const restart = () => {
    for (const scan of scans) Object.assign(scan, beginScan());
  };
  const reopened = (callIds: Iterable<number>) => {
    for (const callId of callIds) state.leased.delete(callId);
    restart();
  };
  return {
    add: async (rows) =>
      inTransaction(() => {
        keep ??= keeper(state);
        addRows(state, { keep, rowIdsOf }, rows);
        ledger.progress.put(run.id, counts, state.freshUntil);
        return structuredClone(counts);
      }),
    async exchange(given, rooms, update) {
      const answers = readAnswers(state, given);
      const misread = callsWithout(given, answers);
      const bodies = packBodies(answers);
      // Answers may open calls that the scan has already passed.
      for (const scan of scans) if (answers.length > 0 && scan.after > 0) scan.mustRepeat = true;
      const leased = inTransaction(() => {
        const inFlight = countInFlight(state, answers);
        if (update) noteSpend(state, answers, update);
        storeAnswers(state, answers, bodies);
        if (answers.length > 0) ledger.calls.gatherManyAliases();
        recheck ??= createRecheck(state);
        recheck.note(answers);
        const found = leaseCalls(state, scans, recheck, rooms, inFlight, update);
        const hasContinued = continueReadyRows(
          state,
          (index) => inFlight[index] === 0 && found.ofService[index]?.isScanned === true,
        );
        storeLeases(state, answers, found.tasks);
        ledger.progress.put(run.id, counts, state.freshUntil);
        return { ...found, hasContinued };
      });
      // Only after the commit: if it fails, the caller repeats the exchange with the same answers.
      const calls = exchangeLeased(state, answers, leased.tasks);
      if (leased.hasContinued) for (const scan of scans) scan.mustRepeat = true;
      const rechecked = recheck?.end();
      // During the recheck, the scan skipped all other calls, so it starts again.
      if (rechecked) restart();
      const openCalls = rechecked || leased.hasContinued ? 'unseen' : leased.openCalls;
      if (openCalls === 'elsewhere' && state.leased.size === 0)
        recoverDeadRuns(state, leased.holders);
      const nothingToLease = leased.ofService.map((one) => one.hasNothingToLease);
      return {
        calls,
        counts: structuredClone(counts),
        misread,
        openCalls,
        nothingToLease,
        reservedQuarterAt: leased.reservedQuarterAt,
        spent: leased.spent,
        ...rechecked,
      };
    },
    async reserve(operations, update, serviceIndex) {
      const spend = spends[serviceIndex];
      return spend
        ? inTransaction(() => spend.reserveUpTo(operations, update))
        : { granted: operations.length };
    },
    async returnUnsent(callIds, update) {
      const kept = new Set(state.leased.keys()).difference(new Set(callIds));
      inTransaction(() => {
        if (update) for (const spend of spends) spend?.note(update);
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

/** A plan brings its own. */
interface QueueParts {
  readonly services?: AskedServices;
  readonly cache?: AnswerCache;
  readonly history?: History;
  readonly keeper?: typeof createOutcomeKeeper;
  readonly rowIdsOf?: Ledger['rows']['idsOf'];
}

/** Calls of those that were left out. */
function callsWithout(given: readonly Answer[], answers: readonly Answer[]) {
  if (given.length === answers.length) return [];
  const read = new Set(answers.map(({ callId }) => callId));
  return given.flatMap(({ callId }) => (read.has(callId) ? [] : callId));
}

/** Call inside a transaction, before the answers are stored. */
function noteSpend(
  { leased, services, spends }: QueueState,
  answers: readonly Answer[],
  update: SpendUpdate,
) {
  for (const [index, spend] of spends.entries()) {
    const isOfService = ({ callId }: Answer) => {
      const task = leased.get(callId);
      return task && services.ofCall(task).index === index;
    };
    spend?.note(update, answers.filter(isOfService));
  }
}

/** Call inside a transaction. */
function storeLeases(
  { ledger, run, leased }: QueueState,
  answers: readonly Answer[],
  tasks: readonly OpenCall[],
) {
  if (answers.length + tasks.length === 0) return;
  const kept = new Set(leased.keys());
  for (const { callId } of answers) kept.delete(callId);
  for (const { callId } of tasks) kept.add(callId);
  ledger.calls.setLeased(run.id, [...kept]);
}

function exchangeLeased(
  { leased, services }: QueueState,
  answers: readonly Answer[],
  tasks: readonly OpenCall[],
): LeasedCall[] {
  for (const { callId } of answers) leased.delete(callId);
  return tasks.map((task) => {
    const { callId, text } = task;
    const call = parseCall(text);
    leased.set(callId, { ...task, call });
    const serviceIndex = services.ofCall(task).index;
    return { callId, call, serviceIndex, hasFailed: task.hasFailed === 1 };
  });
}

/** Calls of each service that were leased before and have no answer yet. */
function countInFlight({ leased, services }: QueueState, answers: readonly Answer[]) {
  const counts = services.list.map(() => 0);
  const answered = new Set(answers.map(({ callId }) => callId));
  for (const task of leased.values()) {
    const { index } = services.ofCall(task);
    if (!answered.has(task.callId)) counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
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

type RowParts = Pick<Required<QueueParts>, 'rowIdsOf'> & { readonly keep: OutcomeKeeper };

const rowsAtOnce = 500;

function addRows(state: QueueState, parts: RowParts, rows: readonly IdentifiedRow[]) {
  const { ledger, run } = state;
  const [first] = rows;
  if (!first) return;
  const rowIds: number[] = [];
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    rowIds.push(...addSome(state, parts, rows.slice(at, at + rowsAtOnce)));
  }
  ledger.lists.addBlock(run.listId, { firstNumber: first.number, rowIds });
}

function addSome(state: QueueState, { keep, rowIdsOf }: RowParts, rows: readonly IdentifiedRow[]) {
  const { terms, counts } = state;
  const rowIds = rowIdsOf(terms.job, rows);
  const kept = keep(rows, rowIds);
  const waiting: RowAndCandidate[] = [];
  const outcomes: NewOutcome[] = [];
  for (const [row, rowId] of pairs(rows, rowIds)) {
    if (kept.has(rowId)) continue;
    if (row.reject) outcomes.push({ ...noAnswer, status: 'invalid', rowId, ...row.reject });
    else if (state.isSuppressed(row)) outcomes.push({ ...noAnswer, rowId, ...suppressed });
    else {
      const first = firstCandidate(state, row);
      if (first) waiting.push({ rowId, ...first });
      else outcomes.push({ ...noAnswer, rowId, ...notTaken(row.candidates.map(([kind]) => kind)) });
    }
  }
  counts.rows.open += waiting.length + outcomes.length;
  waitForCandidates(state, waiting);
  endRows(state, outcomes);
  return rowIds;
}

const noAnswer = {
  match: null,
  answerId: null,
  callId: null,
  candidateIndex: null,
  isStale: 0,
} as const;

function firstCandidate(state: QueueState, { number, candidates, country }: IdentifiedRow) {
  if (!country || candidates.length === 0)
    throw new Error(`row ${number} is not rejected, but has nothing to look up`);
  const row = { country, candidates };
  return findFreshHit(state, row)?.place ?? nextCandidate(row, state.services.takes);
}
