import { createHash } from 'node:crypto';
import type { Country } from '../contract/countries.ts';
import type { Identifier } from '../identify/identifier.ts';
import { jobFingerprint } from '../job/job-fingerprint.ts';
import type { ResolvedJob } from '../job/resolve-job.ts';
import { keyedCall } from '../ledger/calls/call-key.ts';
import type { Source } from '../ledger/calls/run-calls.ts';
import { takeLookupSlot } from '../ledger/file/lookup-slots.ts';
import { type Ledger, openLedger, tellingTrouble } from '../ledger/open-ledger.ts';
import type { PeopleRecord, RowRecord } from '../ledger/run-records.ts';
import type { Run } from '../ledger/runs/runs.ts';
import { openQueue } from '../queue/open-queue.ts';
import { type OpenRun, queueTerms } from './open-run.ts';
import { type RunParts, resolveCalls } from './run-job.ts';

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
  readonly row: RowRecord;
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

type LookUpParts = Pick<RunParts, 'openClient' | 'signal' | 'observer' | 'clock'>;

/**
 * Looks one company up as a run of a single row, so that all that holds for runs holds here, too:
 * what the ledger knows is not paid for again, and nothing that was paid for is lost.
 */
export async function lookUp(
  job: ResolvedJob,
  question: LookUpQuestion,
  parts: LookUpParts,
): Promise<LookUpAnswer> {
  using slot = takeLookupSlot(job.ledger);
  using ledger = openLedger(job.ledger);
  const slotJob = { ...job, name: slot.job };
  return await tellingTrouble(job.ledger, () => askUntilWhole(ledger, slotJob, question, parts));
}

async function askUntilWhole(
  ledger: Ledger,
  job: ResolvedJob,
  question: LookUpQuestion,
  parts: LookUpParts,
): Promise<LookUpAnswer> {
  for (;;) {
    const opened = await startLookUp(ledger, job, question, parts);
    const { failedSearches } = await resolveCalls(opened, job, parts);
    ledger.runs.finish(opened.run.id, parts.clock.wallMs());
    const damaged = new Set<number>();
    const answer = readLookUp(ledger, opened.run, job, question, damaged);
    if (damaged.size === 0) return { ...answer, failedSearches };
    // A damaged answer is forgotten and asked for again, which leaves fewer each time.
    for (const answerId of damaged) ledger.calls.discardAnswer(answerId);
  }
}

async function startLookUp(
  ledger: Ledger,
  job: ResolvedJob,
  { text, first, alternates, country }: LookUpQuestion,
  { clock }: LookUpParts,
): Promise<OpenRun> {
  ledger.together(() => ledger.runs.dropUnfinishedIngests(job.name));
  const columns = ['identifier'];
  const run = ledger.runs.start({
    job: job.name,
    jobFingerprint: jobFingerprint(job),
    inputStamp: null,
    inputName: 'command line',
    columns,
    hasPeople: job.people !== undefined,
    startedAt: clock.wallMs(),
  });
  const queue = openQueue(ledger, run, queueTerms(job));
  // Calls of a lookup that died in this slot may have been charged.
  await queue.recover();
  const candidates = [first, ...alternates].map(({ kind, value }) => [kind, value] as const);
  const counts = await queue.add([{ number: 1, line: 1, cells: [text], country, candidates }]);
  const inputSha256 = createHash('sha256').update(text).digest('hex');
  ledger.together(() => ledger.runs.completeIngest(run, { columns, inputSha256 }));
  return { run, queue, counts };
}

function readLookUp(
  ledger: Ledger,
  run: Run,
  job: ResolvedJob,
  question: LookUpQuestion,
  damaged: Set<number>,
): Omit<LookUpAnswer, 'failedSearches'> {
  const records = ledger.records.of(run, (answerId) => damaged.add(answerId));
  const [row] = records.rows();
  const [people] = run.hasPeople ? records.people() : [];
  const asked = [question.first, ...question.alternates].find(
    ({ value }) => value === row?.identifier,
  );
  if (!row || !asked) throw new Error(`the lookup ${run.id} has lost its row`);
  const call = { operation: 'company', identifier: asked, country: question.country } as const;
  const callId = ledger.calls.find(keyedCall(job.service.url, call).key) ?? 0;
  const settled = ledger.calls.completion(run.id, callId);
  if (!settled) throw new Error(`the lookup ${run.id} is not settled`);
  const fetchedAt = new Date(settled.answer.fetchedAt).toISOString();
  return { row, asked, source: settled.source, fetchedAt, people };
}
