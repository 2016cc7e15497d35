import { refuseMissing } from '../../ledger/file/ledger-file.ts';
import { tellingTrouble } from '../../ledger/file/ledger-trouble.ts';
import { type Ledger, openLedger, openLedgerToRead } from '../../ledger/open-ledger.ts';
import type { RowFigures } from '../../ledger/runs/planning.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import { completeList, startRun } from '../job/begin-run.ts';
import { findSameList, findUnfinished, ownSince } from '../job/find-unfinished.ts';
import type { JobRuns } from '../job/job-runs.ts';
import { openQueue } from '../open-queue.ts';
import type { QueueTerms } from '../queue-state.ts';
import { countCalls, type PlannedCalls } from './count-calls.ts';
import { openFallbacks } from './open-fallbacks.ts';
import { type CacheHits, openPastAnswers, type PastAnswers } from './past-answers.ts';
import { withoutStanding } from './without-standing.ts';

export interface PlanFigures {
  readonly rows: RowFigures & {
    /** Rows that no answer at hand settles. */
    readonly open: number;
  };
  readonly hits: CacheHits;
  readonly calls: PlannedCalls;
}

/** A run to plan with: it is written to a scratch ledger, and that of the job is only read. */
export interface DraftRun
  extends Pick<
    JobRuns,
    | 'findUnfinished'
    | 'findSameList'
    | 'findFinished'
    | 'rowsAgain'
    | 'keyOfLastRun'
    | 'correctionsOfLastRun'
    | 'start'
    | 'resume'
    | 'dropRead'
    | 'open'
    | 'completeList'
  > {
  /** What a run would do. Completes every cache hit of the draft. */
  plan(run: Run, queue: Awaited<ReturnType<JobRuns['open']>>): Promise<PlanFigures>;
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
      findUnfinished: (basis, asOf) => past && findUnfinished(past, terms, basis, asOf),
      findSameList: (list, asOf) => past && findSameList(past, terms, list, asOf),
      // A plan counts what reading the list tells, so that it reads it.
      findFinished: () => undefined,
      rowsAgain: () => [],
      keyOfLastRun: (inputPath) =>
        past?.runs.newestKeyed({ job: terms.job, inputPath })?.keyColumns,
      correctionsOfLastRun: (inputPath) =>
        past?.runs.newestKeyed({ job: terms.job, inputPath })?.corrections,
      start: async (run) => startRun(scratch, { ...run, job: terms.job }),
      resume: async (run, { startedAt }) => ({ ...run, lastStartedAt: startedAt }),
      async dropRead() {
        scratch = second;
      },
      async open(opened) {
        const isNew = scratch.runs.get(opened.id) !== undefined;
        if (!isNew && past) scratch.planning.copyRun(past.path, opened);
        const since = past ? ownSince(past.runs, opened, terms) : opened.startedAt;
        const run = { ...opened, ownSince: since };
        answers = openPastAnswers(past, scratch, run, terms);
        // A process that takes the run in the meantime makes no difference to its copy.
        const { owner } = scratch.runs.get(run.id) ?? run;
        const queue = openQueue(scratch, { ...run, owner }, terms, answers);
        const isMend = terms.keepsOutcomes && isNew && past;
        return isMend ? withoutStanding(queue, past, asNext(past, opened)) : queue;
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

/** A run of the scratch ledger, which numbers its own, as the run that the ledger of the job would have next. */
function asNext({ runs }: Pick<Ledger, 'runs'>, run: Run): Run {
  const newest = runs.list().at(0)?.id ?? 0;
  return { ...run, id: newest + 1 };
}
