import { keyedCall } from '../../ledger/calls/call-key.ts';
import { refuseMissing } from '../../ledger/file/ledger-file.ts';
import { tellingTrouble } from '../../ledger/file/ledger-trouble.ts';
import { type Ledger, openLedger, openLedgerToRead } from '../../ledger/open-ledger.ts';
import type { WaitingPlace } from '../../ledger/rows/outcomes.ts';
import type { OpenSearches } from '../../ledger/runs/planning.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import { mostFullPages, mostPages, type SearchesAhead } from '../../rules/most-pages.ts';
import { laterCandidates } from '../../rules/next-candidate.ts';
import { type PeopleTerms, searchIndex } from '../../rules/people-search.ts';
import { IdSet } from '../../runtime/id-set.ts';
import { type CacheHits, openPastAnswers, type PastAnswers } from '../answer-source.ts';
import {
  completeList,
  ownSince,
  type RunsToOpen,
  requireFollowed,
  runsBefore,
  startRun,
} from '../job/job-runs.ts';
import { openQueue } from '../open-queue.ts';
import type { QueueTerms } from '../queue-state.ts';
import type { RunQueue } from '../run-queue.ts';

/** A run to plan with: it is written to a scratch ledger, and that of the job is only read. */
interface DraftRun extends RunsToOpen {
  /** What a run would do. Completes every cache hit of the draft. */
  plan(
    run: Run,
    queue: RunQueue,
  ): Promise<{
    readonly rows: ReturnType<Ledger['planning']['rows']> & {
      /** Rows that no cached answer settles. */
      readonly open: number;
    };
    readonly hits: CacheHits;
    readonly calls: ReturnType<typeof countCalls>;
  }>;
}

export async function withDraft<Result>(
  terms: QueueTerms,
  work: (draft: DraftRun) => Promise<Result>,
): Promise<Result> {
  return await tellingTrouble(terms.ledgerPath, async () => {
    // The run would end so, and the price of buying everything again would mislead.
    if (terms.ledgerMustExist) refuseMissing(terms.ledgerPath);
    using past = openLedgerToRead(terms.ledgerPath);
    using first = openLedger(':temporary:');
    // A run is copied into a ledger that has numbered no calls of its own.
    using second = openLedger(':temporary:');
    let scratch = first;
    let answers: PastAnswers | undefined;
    return await work({
      ...runsBefore(past, terms),
      // A plan counts what reading the list tells, so that it reads it.
      findFinished: () => undefined,
      rowsAgain: () => [],
      start: async (run) => startRun(scratch, { ...run, job: terms.job }),
      resume: async (run, { startedAt }) => ({ ...run, lastStartedAt: startedAt }),
      async dropRead() {
        scratch = second;
      },
      async open(opened) {
        const isNew = scratch.runs.get(opened.id) !== undefined;
        if (!isNew && past) scratch.planning.copyRun(past.path, opened);
        const since = past ? ownSince(past, opened, terms) : opened.startedAt;
        const run = { ...opened, ownSince: since };
        answers = openPastAnswers(past, scratch, run, terms);
        // A process that takes the run in the meantime makes no difference to its copy.
        const { owner } = scratch.runs.get(run.id) ?? run;
        const queue = openQueue(scratch, { ...run, owner }, terms, answers);
        const isMend = terms.keepsOutcomes && isNew && past;
        return isMend ? withoutStanding(queue, past, opened) : queue;
      },
      completeList: async (run, list) => scratch.together(() => completeList(scratch, run, list)),
      async plan(run, queue) {
        if (!answers) throw new Error('a run is planned before its queue is open');
        const rows = scratch.planning.rows();
        let left: string;
        do ({ left } = await queue.exchange([], 0));
        while (left === 'unseen');
        const { hits, has } = answers;
        const calls = countCalls(scratch, run.id, terms.people, () =>
          openFallbacks(scratch, run.id, terms.serviceUrl, has),
        );
        return { rows: { ...rows, open: scratch.planning.openRows(run.id) }, hits, calls };
      },
    });
  });
}

/**
 * The queue of a planned run that only mends rows: those that the last run had keep their outcomes, and are
 * left out of the plan.
 */
function withoutStanding(queue: RunQueue, past: Ledger, run: Run): RunQueue {
  const earlier = new IdSet();
  // The scratch ledger numbers its run from 1, and a run of the job would come after all others.
  const followed = requireFollowed(past, { ...run, id: Number.MAX_SAFE_INTEGER });
  for (const { rowIds } of past.lists.blocks(followed.listId))
    for (const id of rowIds) earlier.add(id);
  let asked = 0;
  return {
    ...queue,
    async add(rows) {
      const known = past.rows.find(run.job, rows);
      const others = rows.filter((_, index) => {
        const id = known[index];
        return id === undefined || !earlier.has(id);
      });
      // A list has no gaps in the numbers of its rows.
      return await queue.add(others.map((row) => ({ ...row, number: ++asked })));
    },
  };
}

const rowsInBatch = 1_000;

/**
 * Supposes that nothing is found, and wants every later candidate of every open row. Gives how many of those calls
 * would be completed from the cache, and how many would not.
 */
function openFallbacks(
  scratch: Ledger,
  runId: number,
  serviceUrl: string,
  isCached: (request: string) => boolean,
) {
  const fallbacks = { asked: 0, cached: 0 };
  const seen = new IdSet();
  let after: WaitingPlace = { callId: 0, rowId: 0 };
  for (;;) {
    const rows = scratch.outcomes.allWaiting(runId, after, rowsInBatch);
    scratch.together(() => {
      for (const { call } of rows.flatMap(laterCandidates)) {
        const keyed = keyedCall(serviceUrl, call);
        const [callId = 0] = scratch.calls.idsOf([keyed]);
        if (seen.add(callId) && scratch.calls.countNew(runId, [callId]) > 0)
          fallbacks[isCached(keyed.request) ? 'cached' : 'asked'] += 1;
      }
    });
    const last = rows.at(-1);
    if (!last) return fallbacks;
    after = last;
  }
}

/** Calls from the fewest to the most; `mostIfFull` is the most where the service fills its pages. */
export interface CallRange {
  readonly least: number;
  readonly mostIfFull: number;
  readonly most: number;
}

/**
 * Counts the calls of a planned run whose cache hits are complete. The fewest are those that are open
 * now. For the most, every fallback is asked, every company is found all the same, and every search
 * goes on to `maxPerCompany`.
 */
function countCalls(
  { planning }: Ledger,
  runId: number,
  people: PeopleTerms | undefined,
  fallbacksOf: () => ReturnType<typeof openFallbacks>,
) {
  const companies = planning.openCompanyCalls(runId);
  const rows = planning.distinctOpenRows(runId);
  const fallbacks = fallbacksOf();
  // A row finds one company at most, and so does a call.
  const found = Math.min(rows, companies + fallbacks.asked + fallbacks.cached);
  const pages = people ? countPages(people, planning.openSearches(runId), found) : noCalls;
  const lookups = companies + fallbacks.asked;
  return {
    /** Company lookups that have to be made now, one for each distinct question. */
    companies,
    /** Company lookups that come up when those find nothing. */
    fallbacks: fallbacks.asked,
    /** Pages of people searches. */
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
  // The next page of an open search is open, so one call is certain.
  return {
    least: sum(certain, () => 1),
    mostIfFull: sum(all, mostFullPages),
    most: sum(all, mostPages),
  };
}
