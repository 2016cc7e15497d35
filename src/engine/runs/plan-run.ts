import { operationOf } from '../../core/contract/call.ts';
import { nextCandidate } from '../../core/rules/next-candidate.ts';
import { rowOutcomeFor } from '../../core/rules/row-outcome.ts';
import { IdSet } from '../../core/values/id-set.ts';
import { pairs } from '../../core/values/pairs.ts';
import { callKey } from '../ledger/calls/call-key.ts';
import { refuseMissing } from '../ledger/file/ledger-file.ts';
import { withLedgerErrorsAsync } from '../ledger/file/ledger-path.ts';
import { type Ledger, openLedger, openLedgerToRead } from '../ledger/open-ledger.ts';
import type { PlannedAnswers } from '../ledger/runs/planning.ts';
import type { Run } from '../ledger/runs/runs.ts';
import { findClockAhead } from '../ledger/runs/starts.ts';
import { type AskedServices, createAskedServices } from '../queue/asked-services.ts';
import { createHistory } from '../queue/misses/history.ts';
import { openQueue } from '../queue/open-queue.ts';
import type { QueueState } from '../queue/queue-state.ts';
import { type QueuedRun, type QueueTerms, queuedRun } from '../queue/queue-terms.ts';
import {
  type AnswerCache,
  type ChosenAnswer,
  createAnswerCache,
} from '../queue/reuse/answer-cache.ts';
import type { OutcomeKeeper } from '../queue/reuse/keep-outcomes.ts';
import { completeKnown, type RunQueue } from '../queue/run-queue.ts';
import { type CallsAhead, callsAhead } from './calls-ahead.ts';
import { requireFollowed, runsBefore } from './earlier-runs.ts';
import { completeList, type RunsToOpen, startRun } from './job-runs.ts';
import { listCheck } from './settle-result.ts';

const afterAllRuns = Number.MAX_SAFE_INTEGER;

export async function withPlanLedger<Result>(
  terms: QueueTerms,
  work: (runs: PlanRuns) => Promise<Result>,
): Promise<Result> {
  return await withLedgerErrorsAsync(terms.ledgerPath, async () => {
    // Without the ledger, the plan would show the price of buying every answer again.
    if (terms.ledgerMustExist) refuseMissing(terms.ledgerPath);
    using past = openLedgerToRead(terms.ledgerPath) ?? openLedger(':temporary:');
    const { exclusions } = terms;
    // The scratch ledger has no record of forgotten companies, so pass them as suppressed.
    const suppressed = [...(exclusions?.suppressed ?? []), ...past.forgotten.sets()];
    const planTerms = {
      ...terms,
      ...(exclusions && { exclusions: { ...exclusions, suppressed } }),
    };
    using runs = planRuns(planTerms, past);
    return await work(runs);
  });
}

interface PlanRuns extends RunsToOpen, Disposable {
  /** Why a run would stop at once. */
  clockAhead(now: number): string | undefined;
  plan(run: Run, queue: RunQueue): Promise<PlannedRows>;
}

export interface PlannedRows {
  readonly rows: ReturnType<Ledger['planning']['rows']> & {
    readonly open: number;
    readonly suppressed: number;
  };
  readonly hits: PlannedAnswers;
  readonly calls: CallsAhead;
}

function planRuns(terms: QueueTerms, past: Ledger): PlanRuns {
  let scratch = openLedger(':temporary:');
  let answers: ReturnType<typeof createPlanCache> | undefined;
  const toOpen: RunsToOpen = {
    ...runsBefore(past, terms),
    start: async (run) => scratch.inTransaction(() => startRun(scratch, terms, run)),
    resume: async (run, at) => ({
      ...run,
      startedAt: Math.min(run.startedAt, at),
      lastStartedAt: at,
    }),
    // A resumed run is copied with its call ids, which would clash in a used ledger.
    async dropRead() {
      scratch[Symbol.dispose]();
      scratch = openLedger(':temporary:');
    },
    async open(opened) {
      const isNew = scratch.runs.get(opened.id) !== undefined;
      if (!isNew) scratch.planning.copyRun(past.path, opened);
      const run = queuedRun(past, opened, terms);
      const services = createAskedServices(scratch, terms.services);
      answers = createPlanCache(past, scratch, run, terms, services);
      const { cache, keeper, originalIdOf } = answers;
      // The scratch ledger gives a new run an id that an old run has.
      const known = isNew ? { ...run, id: afterAllRuns } : run;
      // The queue requires the owner that the scratch ledger has.
      const { owner } = scratch.runs.get(run.id) ?? run;
      const queue = openQueue(scratch, { ...run, owner, vanishedCallIds: [] }, terms, {
        services,
        cache,
        history: createHistory(past, known, originalIdOf),
        keeper,
        rowIdsOf: scratch.rows.add,
      });
      return terms.isFix && isNew ? withoutKept(queue, past, opened) : queue;
    },
    // Not for `dossier fix`, whose plan has only the changed rows of the list.
    checkList: (expectations, run, ...list) =>
      terms.isFix
        ? undefined
        : listCheck(past, scratch)(expectations, { ...run, id: afterAllRuns }, ...list),
    completeList: async (run, list) =>
      scratch.inTransaction(() => completeList(scratch, run, list)),
  };
  return {
    ...toOpen,
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
    clockAhead: (now) => findClockAhead(past, now)?.message,
    async plan(run, queue) {
      if (!answers) throw new Error('plan was called before the queue was opened');
      const rows = scratch.planning.rows();
      const counts = await completeKnown(queue);
      const { hits, cache } = answers;
      const open = scratch.planning.countOpenRows(run.id).rows;
      const calls = callsAhead(scratch, run.id, terms, past, cache.choose);
      return { rows: { ...rows, open, suppressed: counts.rows.suppressed }, hits, calls };
    },
  };
}

/**
 * The queue of a plan works on `scratch`, so cached answers are copied there from `past`. The
 * copies get new ids.
 */
function createPlanCache(
  past: Ledger,
  scratch: Ledger,
  run: QueuedRun,
  terms: QueueTerms,
  services: AskedServices,
) {
  const hits = scratch.planning.answered();
  const originalIds = new Map<number, number>();
  const counted = new IdSet();
  const known = createAnswerCache(past, run, services);
  const chooseAll: AnswerCache['chooseAll'] = (asked) =>
    pairs(asked, known.chooseAll(asked)).map(([{ text }, hit]) => {
      const isPage = operationOf(text) === 'people' && hit?.answer.result === 'hit';
      // A run would fetch a damaged page again.
      return isPage && !past.calls.body(hit.answer.id) ? undefined : hit;
    });
  const count = (text: string, { answer, callId }: ChosenAnswer) => {
    if (callId !== undefined && !counted.add(callId)) return;
    if (operationOf(text) === 'people') hits.peoplePages += 1;
    else hits[answer.result === 'hit' ? 'companies' : 'misses'] += 1;
  };
  const cache: AnswerCache = {
    find(tasks) {
      const asked = tasks.map((task) => {
        const { index: serviceIndex, identity } = services.ofCall(task);
        return { ...task, serviceIndex, key: callKey(identity, task.text) };
      });
      const chosen = pairs(asked, chooseAll(asked)).flatMap(([{ callId, ...task }, hit]) => {
        if (!hit) return [];
        count(task.text, hit);
        return [{ ...hit, searchId: task.searchId, answer: { ...hit.answer, callId } }];
      });
      const copied = { status: null, attempts: 0, durationMs: 0, body: null };
      const ids = scratch.calls.putAnswers(chosen.map(({ answer }) => ({ ...answer, ...copied })));
      return new Map(
        pairs(chosen, ids).map(([{ answer, searchId, ...hit }, id]) => {
          const isUsed = searchId !== null || terms.exclusions?.suppressed.length;
          if (isUsed || (services.isWaterfall && answer.result !== 'hit'))
            originalIds.set(id, answer.id);
          return [answer.callId, { ...hit, answer: { ...answer, id } }];
        }),
      );
    },
    chooseAll,
    choose: (call) => chooseAll([call])[0],
    readBody: (answerId) => past.calls.body(originalIds.get(answerId) ?? 0) ?? undefined,
  };
  /** Rows that end with a known answer need no call, which takes most of the time of a plan. */
  const keeper =
    ({ counts, suppression }: QueueState): OutcomeKeeper =>
    (rows, rowIds) => {
      const kept = new Set<number>();
      if (terms.people || !suppression.isEmpty) return kept;
      const asked = pairs(rows, rowIds).flatMap(([{ country, candidates }, rowId]) => {
        const row = country && { country, candidates };
        const place = row && nextCandidate(row, services.takes);
        return place
          ? [{ ...services.keyed(place.call, place.serviceIndex), row, place, rowId }]
          : [];
      });
      for (const [{ text, row, place, rowId }, hit] of pairs(asked, chooseAll(asked))) {
        if (hit?.callId === undefined) continue;
        const { status, next } = rowOutcomeFor(hit.answer, hit.source);
        if (next === 'candidate' && nextCandidate({ ...row, ...place }, services.takes)) continue;
        count(text, hit);
        kept.add(rowId);
        counts.rows[status] += 1;
      }
      return kept;
    };
  // The answers of a resumed run keep their ids.
  const originalIdOf = (answerId: number) => originalIds.get(answerId) ?? answerId;
  return { cache, keeper, hits, originalIdOf };
}

/** `dossier fix` keeps the outcomes of unchanged rows, so its plan leaves these rows out. */
function withoutKept(queue: RunQueue, past: Ledger, run: Run): RunQueue {
  const followed = requireFollowed(past, { ...run, id: afterAllRuns });
  const earlier = past.lists.rowIds(followed.listId);
  let added = 0;
  return {
    ...queue,
    async add(rows) {
      const known = past.rows.find(run.job, rows);
      const others = rows.filter((_, index) => {
        const id = known[index];
        return id === undefined || !earlier.has(id);
      });
      // Row numbers must have no gaps.
      return await queue.add(others.map((row) => ({ ...row, number: ++added })));
    },
  };
}
