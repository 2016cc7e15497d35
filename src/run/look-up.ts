import { createHash } from 'node:crypto';
import type { Country } from '../contract/countries.ts';
import type { Identifier } from '../identify/identifier.ts';
import { jobFingerprint, verdictTerms } from '../job/job-fingerprint.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import type { PeopleRecord, RowRecord } from '../ledger/run-records.ts';
import type { JobRuns } from '../queue/job/job-runs.ts';
import { withLookup } from '../queue/job/with-job.ts';
import type { RowStatus, Source } from '../rules/outcomes.ts';
import { openRequestBudget } from './calls/request-budget.ts';
import { resolveCalls } from './calls/resolve-calls.ts';
import { keyFromIdentity } from './list/key/row-key.ts';
import { type OpenRun, queueTerms } from './open-run.ts';
import type { RunParts } from './run-parts.ts';

/** One company to ask for, cleaned. */
export interface LookUpQuestion {
  /** As it was written. */
  readonly text: string;
  readonly first: Identifier;
  /** Tried in their order after a miss of the first. */
  readonly alternates: readonly Identifier[];
  readonly country: Country;
}

export interface LookUpAnswer {
  readonly row: RowRecord & { readonly status: RowStatus };
  /** What was asked for last. */
  readonly asked: Identifier;
  /** How the answer to it came to be known. */
  readonly source: Source;
  /** ISO 8601, when that answer arrived. */
  readonly fetchedAt: string;
  /** Undefined where no people were asked for or no company was found. */
  readonly people: PeopleRecord | undefined;
  readonly failedSearches: number;
}

type LookUpParts = Pick<RunParts, 'openClient' | 'signal' | 'observer' | 'clock' | 'account'>;

/**
 * Looks one company up as a run of a single row, so that all that holds for runs holds here, too:
 * what the ledger knows is not paid for again, and nothing that was paid for is lost.
 */
export async function lookUp(
  job: ResolvedJob,
  question: LookUpQuestion,
  parts: LookUpParts,
): Promise<LookUpAnswer> {
  const { signal, observer } = parts;
  const look = async (runs: JobRuns) => {
    const budget = openRequestBudget(job.budget.perStart, job.service.price);
    for (;;) {
      const opened = await startLookUp(runs, job, question, parts);
      const isProven = runs.isServiceProven();
      const { failedSearches } = await resolveCalls(opened, job, { ...parts, isProven, budget });
      await runs.finish(opened.run, parts.clock.wallMs());
      const damaged = new Set<number>();
      const answer = readLookUp(runs, opened.run, question, damaged);
      if (damaged.size === 0) return { ...answer, failedSearches };
      // A damaged answer is forgotten and asked for again, which leaves fewer each time.
      for (const answerId of damaged) runs.ledger.calls.discardAnswer(answerId);
    }
  };
  return await withLookup(queueTerms(job, parts.account), look, {
    signal,
    onHeld: observer.onHeld,
  });
}

async function startLookUp(
  runs: JobRuns,
  job: ResolvedJob,
  { text, first, alternates, country }: LookUpQuestion,
  { clock }: LookUpParts,
): Promise<Omit<OpenRun, 'isResumed' | 'notes'>> {
  const columns = ['identifier'];
  const run = await runs.start({
    jobFingerprint: jobFingerprint(job),
    verdictTerms: verdictTerms(job),
    inputStamp: null,
    inputName: 'command line',
    inputPath: '-',
    list: '-',
    rowLimit: null,
    service: job.service.url,
    columns,
    hasPeople: job.people !== undefined,
    startedAt: clock.wallMs(),
  });
  const queue = await runs.open(run);
  const candidates = [first, ...alternates].map(({ kind, value }) => [kind, value] as const);
  const plan = { identify: [{ index: 0, as: 'auto' }], country: { default: country } } as const;
  const key = keyFromIdentity([text], plan, { country, candidates });
  const counts = await queue.add([{ number: 1, key, cells: [text], country, candidates }]);
  const inputSha256 = createHash('sha256').update(text).digest('hex');
  const list = { columns, keyColumns: null, inputSha256 };
  const complete = await runs.completeList(run, list);
  return { run: complete, queue, counts };
}

function readLookUp(
  runs: JobRuns,
  run: OpenRun['run'],
  question: LookUpQuestion,
  damaged: Set<number>,
): Omit<LookUpAnswer, 'failedSearches'> {
  const records = runs.ledger.records.of(run, (answerId) => damaged.add(answerId));
  const [row] = records.rows();
  const [people] = run.hasPeople ? records.people() : [];
  const asked = [question.first, ...question.alternates].find(
    ({ value }) => value === row?.identifier,
  );
  if (!row || row.status === 'open' || !asked)
    throw new Error(`the lookup ${run.id} has lost its row`);
  const call = { operation: 'company', identifier: asked, country: question.country } as const;
  const answer = runs.answerOf(run, call);
  if (!answer) throw new Error(`the lookup ${run.id} has no answer`);
  const fetchedAt = new Date(answer.fetchedAt).toISOString();
  return { row: { ...row, status: row.status }, asked, source: answer.source, fetchedAt, people };
}
