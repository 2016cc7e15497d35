import { laterCandidates } from '../../core/rules/next-candidate.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import {
  mostFullPages,
  mostPages,
  type PeopleTerms,
  type SearchesAhead,
  searchIndex,
} from '../../core/rules/people-search.ts';
import { IdSet } from '../../core/runtime/id-set.ts';
import { pairs } from '../../core/runtime/pairs.ts';
import { callKey, keyedCall } from '../ledger/calls/call-key.ts';
import type { Service } from '../ledger/calls/services.ts';
import { refuseMissing } from '../ledger/file/ledger-file.ts';
import { withLedgerErrorsAsync } from '../ledger/file/ledger-path.ts';
import { type Ledger, openLedger, openLedgerToRead } from '../ledger/open-ledger.ts';
import type { OpenSearches } from '../ledger/runs/planning.ts';
import type { Run } from '../ledger/runs/runs.ts';
import { findClockAhead } from '../ledger/runs/starts.ts';
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
  type AnswerSource,
  cacheOf,
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
  let answers: ReturnType<typeof createPastAnswers> | undefined;
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
      answers = createPastAnswers(past, scratch, run, terms);
      // The queue requires the owner that the scratch ledger has.
      const { owner } = scratch.runs.get(run.id) ?? run;
      const queue = openQueue(scratch, { ...run, owner, vanishedCallIds: [] }, terms, answers);
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
      const open = scratch.planning.countOpenRows(run.id);
      const searches = scratch.planning.listOpenSearches(run.id);
      const fallbacks = countFallbacks(scratch, run.id, terms.service, has);
      const calls = countCalls(open, fallbacks, searches, terms.people);
      const { suppressed } = counts.rows;
      return { rows: { ...rows, open: open.rows, suppressed }, hits, calls };
    },
  };
}

/**
 * The queue of a plan works on `scratch`, so cached answers are copied there from `past`. The
 * copies get new ids.
 */
function createPastAnswers(past: Ledger, scratch: Ledger, run: QueuedRun, terms: QueueTerms) {
  const hits = { companies: 0, misses: 0, peoplePages: 0 };
  const originalIds = new Map<number, number>();
  const chooseIn = cacheOf(past, run, terms);
  const choose = (request: string) => {
    // Even a call that the ledger does not know may be answered under another identifier.
    const callId = past.calls.find(callKey(terms.service.url, request));
    const own = callId === undefined ? undefined : past.calls.newestAnswer(callId);
    const hit = chooseIn(request, callId, own);
    const isPage = operationOf(request) === 'people' && hit?.answer.result === 'hit';
    // A run would fetch a damaged page again.
    return isPage && !past.calls.body(hit.answer.id) ? undefined : hit;
  };
  const source: AnswerSource = {
    find(tasks) {
      const chosen = tasks.flatMap(({ callId, request, searchId }) => {
        const hit = choose(request);
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
    readBody: (answerId) => past.calls.body(originalIds.get(answerId) ?? 0) ?? undefined,
  };
  return { ...source, hits, has: (request: string) => choose(request) !== undefined };
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

/** Counts the lookups of later candidates, assuming that every lookup misses. */
function countFallbacks(
  scratch: Ledger,
  runId: number,
  service: Service,
  isCached: (request: string) => boolean,
) {
  const fallbacks = { uncached: 0, cached: 0 };
  const seen = new IdSet();
  for (const rows of scratch.outcomes.allWaiting(runId)) {
    scratch.inTransaction(() => {
      for (const { call } of rows.flatMap(laterCandidates)) {
        const keyed = keyedCall(service.url, call);
        const [callId = 0] = scratch.calls.idsOf(service, [keyed]);
        if (seen.add(callId) && scratch.calls.countNew(runId, [callId]) > 0)
          fallbacks[isCached(keyed.request) ? 'cached' : 'uncached'] += 1;
      }
    });
  }
  return fallbacks;
}

/** `mostIfFull` assumes that the service fills its pages. */
export interface CallRange {
  readonly least: number;
  readonly mostIfFull: number;
  readonly most: number;
}

/** `most` assumes that every company is found, and every search reaches `maxPerCompany`. */
function countCalls(
  { calls: companies, distinct }: ReturnType<Ledger['planning']['countOpenRows']>,
  fallbacks: ReturnType<typeof countFallbacks>,
  searches: readonly OpenSearches[],
  people: PeopleTerms | undefined,
) {
  // A row and a call each find at most one company.
  const companiesToFind = Math.min(distinct, companies + fallbacks.uncached + fallbacks.cached);
  const pages = people ? countPages(people, searches, companiesToFind) : noCalls;
  const lookups = companies + fallbacks.uncached;
  return {
    companies,
    fallbacks: fallbacks.uncached,
    pages,
    least: companies + pages.least,
    mostIfFull: lookups + pages.mostIfFull,
    most: lookups + pages.most,
  };
}

const noCalls: CallRange = { least: 0, mostIfFull: 0, most: 0 };

function countPages(
  people: PeopleTerms,
  open: readonly OpenSearches[],
  companiesToFind: number,
): CallRange {
  const { pageSize, maxPerCompany } = people;
  const searches = people.searches.length;
  const certain = open.map(({ companies, received, ...filters }) => ({
    companies,
    searches: searches - searchIndex(people, filters),
    pageSize,
    people: Math.max(1, maxPerCompany - received),
  }));
  const all = [
    ...certain,
    { companies: companiesToFind, searches, pageSize, people: maxPerCompany },
  ];
  const sum = (some: typeof all, pages: (ahead: SearchesAhead) => number) =>
    some.reduce((calls, ahead) => calls + ahead.companies * pages(ahead), 0);
  return {
    least: sum(certain, () => 1),
    mostIfFull: sum(all, mostFullPages),
    most: sum(all, mostPages),
  };
}
