import type { Counts } from '../../core/rules/outcomes.ts';
import { pairs } from '../../core/values/pairs.ts';
import { callKey } from '../ledger/calls/call-key.ts';
import { refuseMissing } from '../ledger/file/ledger-file.ts';
import { withLedgerErrorsAsync } from '../ledger/file/ledger-path.ts';
import { type Ledger, openLedger, openLedgerToRead } from '../ledger/open-ledger.ts';
import type { Run } from '../ledger/runs/runs.ts';
import { findClockAhead } from '../ledger/runs/starts.ts';
import { type AskedService, type AskedServices, createAskedServices } from './asked-services.ts';
import { callsAhead } from './calls-ahead.ts';
import { listCheck } from './check-result.ts';
import {
  completeList,
  type RunsToOpen,
  requireFollowed,
  runsBefore,
  startRun,
} from './job-runs.ts';
import { openQueue } from './open-queue.ts';
import {
  type AnswerCache,
  cacheRuleFor,
  operationOf,
  type QueuedRun,
  type QueueTerms,
  queuedRun,
} from './queue-state.ts';
import type { RunQueue } from './run-queue.ts';

const afterAllRuns = Number.MAX_SAFE_INTEGER;

export async function withPlanLedger<Result>(
  terms: QueueTerms,
  work: (runs: ReturnType<typeof planRuns>) => Promise<Result>,
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

function planRuns(terms: QueueTerms, past: Ledger) {
  let scratch = openLedger(':temporary:');
  let answers: ReturnType<typeof createPlanCache> | undefined;
  const toOpen: RunsToOpen = {
    ...runsBefore(past, terms),
    start: async (run) => startRun(scratch, terms, run),
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
      const services = createAskedServices(scratch, terms.services, past);
      answers = createPlanCache(past, scratch, run, terms, services);
      // The queue requires the owner that the scratch ledger has.
      const { owner } = scratch.runs.get(run.id) ?? run;
      const queue = openQueue(
        scratch,
        { ...run, owner, vanishedCallIds: [] },
        terms,
        services,
        answers,
      );
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
    /** Why a run would stop at once. */
    clockAhead: (now: number) => findClockAhead(past, now)?.message,
    async plan(run: Run, queue: RunQueue) {
      if (!answers) throw new Error('plan was called before the queue was opened');
      const rows = scratch.planning.rows();
      let left: string;
      let counts: Counts;
      do ({ left, counts } = await queue.exchange([], 0));
      while (left === 'unseen');
      const { hits, has } = answers;
      const open = scratch.planning.countOpenRows(run.id).rows;
      const calls = callsAhead(scratch, run.id, terms, past, has);
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
  const hits = { companies: 0, misses: 0, peoplePages: 0 };
  const originalIds = new Map<number, number>();
  const chooseIn = cacheRuleFor(past, run);
  const choose = (service: AskedService, request: string) => {
    // Even a call that the ledger does not know may be answered under another identifier.
    const callId = past.calls.find(callKey(service.identity, request));
    const own = callId === undefined ? undefined : past.calls.newestAnswer(callId);
    const hit = chooseIn(service, request, callId, own);
    const isPage = operationOf(request) === 'people' && hit?.answer.result === 'hit';
    // A run would fetch a damaged page again.
    return isPage && !past.calls.body(hit.answer.id) ? undefined : hit;
  };
  const cache: AnswerCache = {
    find(tasks) {
      const chosen = tasks.flatMap((task) => {
        const { callId, request, searchId } = task;
        const hit = choose(services.ofCall(task), request);
        if (!hit) return [];
        if (operationOf(request) === 'people') hits.peoplePages += 1;
        else hits[hit.answer.result === 'hit' ? 'companies' : 'misses'] += 1;
        return [{ ...hit, searchId, answer: { ...hit.answer, callId } }];
      });
      const copied = { status: null, attempts: 0, durationMs: 0, body: null };
      const ids = scratch.calls.putAnswers(chosen.map(({ answer }) => ({ ...answer, ...copied })));
      return new Map(
        pairs(chosen, ids).map(([{ answer, searchId, ...hit }, id]) => {
          if (searchId !== null || terms.exclusions?.suppressed.length)
            originalIds.set(id, answer.id);
          return [answer.callId, { ...hit, answer: { ...answer, id } }];
        }),
      );
    },
    choose,
    readBody: (answerId) => past.calls.body(originalIds.get(answerId) ?? 0) ?? undefined,
  };
  return {
    ...cache,
    hits,
    has: (service: AskedService, request: string) => choose(service, request) !== undefined,
  };
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
