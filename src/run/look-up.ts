import { createHash } from 'node:crypto';
import type { Country } from '../contract/countries.ts';
import { jobFingerprint } from '../job/job-fingerprint.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { type JobRuns, withLookup } from '../queue/job/job-runs.ts';
import type { RowCandidate } from '../rules/next-candidate.ts';
import { resolveCalls } from './calls/call-service.ts';
import { openRequestBudget } from './calls/charges.ts';
import { beginRun, queueTerms } from './open-run.ts';
import type { RunParts } from './run-parts.ts';

/** One company to ask for: as it was written, and cleaned, best first. */
export interface LookUpQuestion {
  readonly text: string;
  readonly candidates: readonly RowCandidate[];
  readonly country: Country;
}

/**
 * Looks one company up as a run of a single row, without files. So what the ledger knows is not paid for again,
 * and nothing that was paid for is lost.
 */
export async function lookUp(
  job: ResolvedJob,
  { text, candidates, country }: LookUpQuestion,
  parts: Omit<RunParts, 'version'>,
) {
  const { clock, signal, observer } = parts;
  const columns = ['identifier'];
  const inputSha256 = createHash('sha256').update(text).digest('hex');
  const look = async (runs: JobRuns) => {
    const budget = openRequestBudget(job.budget.perStart, job.service.price);
    for (;;) {
      const startedAt = clock.wallMs();
      const start = { jobFingerprint: jobFingerprint(job), startedAt, stamp: null };
      const list = { name: 'command line', columns };
      const { run, ...opened } = await beginRun(runs, job, start, list, async (begun, queue) => {
        const row = { number: 1, key: text, cells: [text], country, candidates };
        const counts = await queue.add([row]);
        const read = { columns, keyColumns: null, inputSha256 };
        return { run: await runs.completeList(begun, read), queue, counts };
      });
      const isProven = runs.isServiceProven();
      const counts = await resolveCalls(opened, job, { ...parts, isProven, budget });
      const endedAt = clock.wallMs();
      await runs.finish(run, endedAt);
      const damaged: number[] = [];
      const records = runs.ledger.records.of(run, (answerId) => damaged.push(answerId));
      const [record] = records.rows();
      const [people] = run.hasPeople ? records.people() : [];
      if (!record) throw new Error(`the lookup ${run.id} has lost its row`);
      if (damaged.length === 0) return { row: record, people, counts, startedAt, endedAt };
      // A damaged answer is forgotten and asked for again, which leaves fewer each time.
      for (const answerId of damaged) runs.ledger.calls.discardAnswer(answerId);
    }
  };
  const held = { signal, onHeld: observer.onHeld };
  return await withLookup(queueTerms(job, parts.account), look, held);
}
